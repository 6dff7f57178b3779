// Collects the texts of documents and builds a segment. A stable counting sort groups the words by
// term, so the postings of each term stay in document and position order.

import { NO_TERM, type WordForms } from "./analysis/word-forms.js";
import { type ColumnValue, ColumnValues } from "./column-values.js";
import type { DenseNumbers } from "./dense-numbers.js";
import { GrowingWords } from "./growing-array.js";
import { byteOfLength } from "./lengths.js";
import { SegmentEncoder } from "./segment-encoder.js";
import { sortStrings } from "./sort-strings.js";

/** Number of words processed between two yields, in a few tenths of a millisecond. */
const STEP = 8192;

/** Structure shared by all documents of a segment. */
export interface SegmentShape {
  readonly keys: number;
  readonly columns: number;
  readonly hasPositions: boolean;
}

export class SegmentBuilder {
  readonly #forms: WordForms;
  readonly #numbers: DenseNumbers;
  readonly #keys: number;
  readonly #hasPositions: boolean;
  /** One entry per word occurrence: code of term and key, document, position. */
  readonly #codes = new GrowingWords();
  readonly #documents = new GrowingWords();
  readonly #positions = new GrowingWords();
  readonly #vertices = new GrowingWords();
  readonly #versions = new GrowingWords();
  readonly #norms: GrowingWords[];
  readonly #lengths: number[];
  readonly #columns: readonly ColumnValues[];
  #hasVersions = false;

  /** @param numbers term numbers, which only one builder may use at a time */
  constructor(
    forms: WordForms,
    numbers: DenseNumbers,
    { keys, columns, hasPositions }: SegmentShape,
  ) {
    numbers.begin();
    this.#forms = forms;
    this.#numbers = numbers;
    this.#keys = keys;
    this.#hasPositions = hasPositions;
    this.#norms = Array.from({ length: keys }, () => new GrowingWords());
    this.#lengths = new Array<number>(keys).fill(0);
    this.#columns = Array.from({ length: columns }, () => new ColumnValues());
  }

  get documents(): number {
    return this.#vertices.length;
  }

  /** Number of words in all documents. */
  get words(): number {
    return this.#codes.length;
  }

  /**
   * Starts a document.
   * @param values values of the columns
   */
  addDocument(vertex: number, version: number, values: readonly ColumnValue[]): void {
    this.#vertices.push(vertex);
    this.#versions.push(version);
    if (version !== 0) this.#hasVersions = true;
    for (const norms of this.#norms) norms.push(0);
    for (const [at, column] of this.#columns.entries()) column.add(values[at]!);
  }

  /** Adds the text of a key to the current document. */
  addText(key: number, terms: Int32Array, count: number): void {
    const document = this.#vertices.length - 1;
    let length = 0;
    for (let position = 0; position < count; position++) {
      const term = terms[position]!;
      if (term === NO_TERM) continue;
      this.#codes.push(this.#numbers.denseOf(term) * this.#keys + key);
      this.#documents.push(document);
      this.#positions.push(position);
      length++;
    }
    this.#norms[key]!.words[document] = byteOfLength(length);
    this.#lengths[key]! += length;
  }

  /** Builds the segment; yields so that the thread can do other work. */
  *build(): Generator<undefined, Uint32Array<ArrayBuffer>, void> {
    const count = this.#vertices.length;
    const encoder = new SegmentEncoder(
      {
        count,
        vertices: this.#vertices.words,
        versions: this.#hasVersions ? this.#versions.words : null,
        norms: this.#norms.map(({ words }) => Uint8Array.from(words.subarray(0, count))),
        lengths: this.#lengths,
        columns: this.#columns,
      },
      this.#hasPositions,
    );
    const { starts, order } = yield* this.#sortWords();
    const { used } = this.#numbers;
    const textOf = (term: number): string => this.#forms.textOf(used[term]!);
    const sorted = yield* sortStrings([...used.keys()], textOf);
    let done = 0;
    for (const term of sorted) {
      encoder.beginTerm(textOf(term));
      for (let key = 0; key < this.#keys; key++) {
        const code = term * this.#keys + key;
        const [from, end] = [starts[code]!, starts[code + 1]!];
        if (from === end) continue;
        encoder.beginList(key);
        yield* this.#addPostings(encoder, order, from, end);
        encoder.endList();
        done += end - from;
        if (done < STEP) continue;
        done = 0;
        yield;
      }
      encoder.endTerm();
    }
    return encoder.finish();
  }

  *#sortWords(): Generator<undefined, { starts: Uint32Array; order: Uint32Array }, void> {
    const codes = this.#codes.words;
    const count = this.#codes.length;
    const starts = new Uint32Array(this.#numbers.used.length * this.#keys + 1);
    for (let at = 0; at < count; at++) {
      starts[codes[at]! + 1]!++;
      if (at % (8 * STEP) === 0) yield;
    }
    for (let code = 1; code < starts.length; code++) starts[code]! += starts[code - 1]!;
    const ends = starts.slice();
    const order = new Uint32Array(count);
    for (let at = 0; at < count; at++) {
      order[ends[codes[at]!]!++] = at;
      if (at % (8 * STEP) === 0) yield;
    }
    return { starts, order };
  }

  *#addPostings(
    encoder: SegmentEncoder,
    order: Uint32Array,
    from: number,
    end: number,
  ): Generator<undefined, void, void> {
    const documents = this.#documents.words;
    const positions = this.#positions.words;
    POSITIONS.length = 0;
    POSITIONS.reserve(end - from);
    for (let at = from; at < end; ) {
      const document = documents[order[at]!]!;
      let count = 0;
      for (; at < end && documents[order[at]!] === document; at++) {
        POSITIONS.words[count++] = positions[order[at]!]!;
      }
      encoder.add(document, POSITIONS.words, 0, count);
      if (at % STEP === 0) yield;
    }
  }
}

const POSITIONS = new GrowingWords();
