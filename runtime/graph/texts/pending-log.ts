// Texts that are in no segment yet, as a thread has read them, in the order of their changes. The
// terms of all lie in one array, so that a search passes over those of other texts at memory speed.

import { NO_TERM } from "./analysis/word-forms.js";

export interface PendingDocument {
  readonly vertex: number;
  readonly version: number;
  /** Terms by key, in word order; null if there is no text. */
  readonly terms: readonly (Int32Array | null)[];
  /** Number of terms by key, without stop words. */
  readonly lengths: readonly number[];
}

/** Source of the changes of vertices. */
interface Changes {
  /** Version of the text that was changed last. */
  readonly serial: number;
  versionOf(vertex: number): number;
  vertexOfVersion(version: number): number;
}

/** Pending changes. */
interface Range {
  /** The index has all texts up to this version. */
  readonly builtTo: number;
  /** The last version to read. */
  readonly serial: number;
  /** Number of the latest changes that are listed. */
  readonly most: number;
}

/** Documents that are counted together. */
const SPENT_AT_ONCE = 256;
const FIRST_TERMS = 4096;
const EMPTY = new Int32Array(0);

export class PendingLog {
  /** Number of keys of the index. */
  readonly keys: number;
  /** By slot; null for a document that was changed again. */
  readonly documents: (PendingDocument | null)[] = [];
  /** Number of documents, without those changed again. */
  count = 0;
  /** Number of their terms, by key. */
  readonly lengths: number[];
  /** Terms of all texts, one text after the other. */
  terms = new Int32Array(FIRST_TERMS);
  /** Where the texts begin, by slot and key, and the end of the last. */
  readonly starts: number[] = [0];
  readonly #slots = new Map<number, number>();
  #lastTerm = 0;
  #from = 0;
  #to = 0;

  constructor(keys: number) {
    this.keys = keys;
    this.lengths = Array.from({ length: keys }, () => 0);
  }

  /** Discards all documents. */
  clear(): void {
    this.documents.length = 0;
    this.count = 0;
    this.lengths.fill(0);
    this.starts.length = 1;
    this.#slots.clear();
    this.#to = this.#from;
  }

  /**
   * Reads the changes of a range.
   * @param read returns the texts of a vertex; null if the index does not include it
   */
  update(
    changes: Changes,
    { builtTo, serial, most }: Range,
    read: (vertex: number) => PendingDocument | null,
    spend: (count: number) => void,
  ): void {
    this.#start(builtTo, serial);
    const first = this.#to + 1;
    for (let version = first; version <= serial; version++) {
      if ((version - first) % SPENT_AT_ONCE === 0) spend(SPENT_AT_ONCE);
      const vertex = changes.vertexOfVersion(version);
      this.#remove(vertex);
      // If the vertex has changed again, the newer version counts.
      const document = changes.versionOf(vertex) === version ? read(vertex) : null;
      if (document !== null) this.#add(document);
      this.#to = version;
    }
    // The places of versions may have been reused meanwhile: read them again.
    if (changes.serial - first >= most) this.clear();
  }

  /** Calls a function for each text with a term. A text is its slot times the keys plus its key. */
  visit(term: number, take: (text: number) => void): void {
    const { terms, starts, keys, documents } = this;
    const end = starts.at(-1)!;
    let text = 0;
    for (let at = 0; at < end; at++) {
      if (terms[at] !== term) continue;
      while (starts[text + 1]! <= at) text++;
      if (documents[Math.floor(text / keys)] !== null) take(text);
      at = starts[text + 1]! - 1;
    }
  }

  /** Calls a function for each word with a wanted term, its text as in `visit`. */
  visitWords(isWanted: (term: number) => boolean, take: (text: number, of: number) => void): void {
    const { terms, starts, keys, documents } = this;
    const end = starts.at(-1)!;
    /** By term: 1 if it is wanted, 2 if not. */
    const known = new Uint8Array(this.#lastTerm + 1);
    let text = 0;
    for (let at = 0; at < end; at++) {
      const term = terms[at]!;
      if (term === NO_TERM || known[term] === 2) continue;
      known[term] ||= isWanted(term) ? 1 : 2;
      if (known[term] === 2) continue;
      while (starts[text + 1]! <= at) text++;
      if (documents[Math.floor(text / keys)] !== null) take(text, term);
    }
  }

  /** Continues with the texts that are still pending. */
  #start(builtTo: number, serial: number): void {
    if (builtTo === this.#from && serial >= this.#to) return;
    const left = builtTo > this.#from && serial >= this.#to ? [...this.documents] : [];
    const to = left.length === 0 ? builtTo : Math.max(builtTo, this.#to);
    this.#from = builtTo;
    this.clear();
    this.#to = to;
    for (const document of left) {
      if (document !== null && document.version > builtTo) this.#add(document);
    }
  }

  #add(document: PendingDocument): void {
    const { starts, lengths } = this;
    this.#slots.set(document.vertex, this.documents.length);
    this.documents.push(document);
    this.count++;
    let end = starts.at(-1)!;
    for (let key = 0; key < this.keys; key++) {
      const terms = document.terms[key] ?? EMPTY;
      if (end + terms.length > this.terms.length) this.#grow(end + terms.length);
      for (let at = 0; at < terms.length; at++) {
        const term = terms[at]!;
        this.terms[end++] = term;
        if (term > this.#lastTerm) this.#lastTerm = term;
      }
      starts.push(end);
      lengths[key]! += document.lengths[key]!;
    }
  }

  #remove(vertex: number): void {
    const slot = this.#slots.get(vertex);
    if (slot === undefined) return;
    const { lengths } = this.documents[slot]!;
    for (const [key, length] of lengths.entries()) this.lengths[key]! -= length;
    this.documents[slot] = null;
    this.#slots.delete(vertex);
    this.count--;
  }

  #grow(least: number): void {
    const larger = new Int32Array(2 * least);
    larger.set(this.terms);
    this.terms = larger;
  }
}
