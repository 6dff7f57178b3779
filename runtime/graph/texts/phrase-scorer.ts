// Scores the documents that contain a phrase, in one or several keys. The phrase counts as one
// word: its frequency is its number of occurrences, its weight the sum of its words' weights.

import type { DocumentScorer, ScoreWindow } from "./document-scorer.js";
import { type ListCursor, NO_DOCUMENT, PositionList } from "./list-cursor.js";
import { ListScorer, type ListWeight } from "./list-scorer.js";
import type { Segment } from "./segment.js";
import { BLOCK } from "./segment-layout.js";
import type { SegmentSearch } from "./segment-search.js";
import { saturate } from "./weights.js";

/** Lists of a phrase's words in one key. */
export interface PhraseLists {
  readonly lists: readonly number[];
  /** Offset of each word from the first one. */
  readonly offsets: readonly number[];
  readonly weight: ListWeight;
}

/** A phrase in the texts of one key. */
class KeyPhrase {
  document = 0;
  readonly cost: number;
  readonly limit: number;
  readonly weight: ListWeight;
  /** Lists in ascending order of frequency. */
  readonly cursors: readonly ListCursor[];
  /** The rarest list, scored as if each occurrence of its word began the phrase. */
  readonly #first: ListScorer;
  readonly #offsets: readonly number[];
  readonly #positions: readonly PositionList[];
  readonly #segment: Segment;
  /** First byte of the encoded lengths. */
  readonly #norms: number;
  #frequency = 0;

  constructor(segment: Segment, { lists, offsets, weight }: PhraseLists, idf: number) {
    const words = lists.map((list, index) => ({
      scorer: new ListScorer(segment, list, weight, idf),
      offset: offsets[index]!,
    }));
    words.sort((a, b) => a.scorer.cost - b.scorer.cost);
    this.#segment = segment;
    this.#first = words[0]!.scorer;
    this.cursors = words.map(({ scorer }) => scorer.cursor);
    this.#norms = segment.normsOf(this.cursors[0]!.key);
    this.#offsets = words.map(({ offset }) => offset);
    this.#positions = words.map(() => new PositionList());
    this.weight = weight;
    this.cost = this.cursors[0]!.count;
    // A phrase is at most as frequent as its rarest word.
    this.limit = Math.min(...this.cursors.map(({ limit }) => limit)) * weight.limitFactor;
  }

  /** Advances to the first document with the phrase from the given one on. */
  seek(target: number): number {
    const [first] = this.cursors as [ListCursor];
    let document = first.seek(target);
    for (;;) {
      document = this.#align(document);
      if (document === NO_DOCUMENT) break;
      this.#frequency = this.#countPlaces();
      if (this.#frequency > 0) break;
      document = first.next();
    }
    this.document = document;
    return document;
  }

  /** Reports the documents above the threshold; skips blocks and documents that cannot reach it. */
  scan({ threshold, take, spend }: SegmentSearch): void {
    const first = this.#first;
    const [{ documents }, second] = this.cursors as [ListCursor, ListCursor];
    const positions = new Uint8Array(BLOCK);
    const secondDocuments = second.documents;
    let cutoff = threshold;
    while (first.nextBlockOver(cutoff)) {
      spend(first.cursor.size);
      const count = first.listOver(cutoff, positions);
      for (let at = 0; at < count; ) {
        if (second.seek(documents[positions[at]!]!) === NO_DOCUMENT) return;
        const last = secondDocuments[second.size - 1]!;
        let { position: secondPosition } = second;
        for (; at < count; at++) {
          const document = documents[positions[at]!]!;
          if (document > last) break;
          while (secondDocuments[secondPosition]! < document) secondPosition++;
          if (secondDocuments[secondPosition] !== document) continue;
          first.cursor.position = positions[at]!;
          second.position = secondPosition;
          const score = this.#scoreOver(document, cutoff);
          if (score > cutoff) cutoff = take(document, score);
        }
        second.position = secondPosition;
        second.document = secondDocuments[secondPosition]!;
      }
    }
  }

  /** Returns the score of a document with the two rarest words; `cutoff` if it is not higher. */
  #scoreOver(document: number, cutoff: number): number {
    const { cursors } = this;
    let minFrequency = Number.POSITIVE_INFINITY;
    for (let at = 0; at < cursors.length; at++) {
      const cursor = cursors[at]!;
      if (at > 1 && cursor.seek(document) !== document) return cutoff;
      minFrequency = Math.min(minFrequency, cursor.frequencyAt(cursor.position));
    }
    if (this.#first.scoreOf(document, minFrequency) <= cutoff) return cutoff;
    const frequency = this.#countPlaces();
    return frequency === 0 ? cutoff : this.#first.scoreOf(document, frequency);
  }

  get weightOfDocument(): number {
    const norm = this.#segment.views.bytes[this.#norms + this.document]!;
    return this.#frequency * this.weight.factors[norm]!;
  }

  /**
   * Returns the first document that contains all words, starting at one that contains the rarest.
   */
  #align(from: number): number {
    const cursors = this.cursors;
    let document = from;
    for (let at = 1; at < cursors.length && document !== NO_DOCUMENT; at++) {
      const other = cursors[at]!.seek(document);
      if (other === document) continue;
      document = cursors[0]!.seek(other);
      at = 0;
    }
    return document;
  }

  /** Returns the number of occurrences of the phrase in the current document. */
  #countPlaces(): number {
    const cursors = this.cursors;
    let left = 0;
    for (let at = 0; at < cursors.length; at++) {
      const list = this.#positions[at]!;
      const count = cursors[at]!.positions(list);
      left = at === 0 ? this.#start(list, count) : this.#keep(left, list, count, at);
      if (left === 0) return 0;
    }
    return left;
  }

  /** Collects the possible starts of the phrase according to the rarest word. */
  #start({ values }: PositionList, count: number): number {
    const offset = this.#offsets[0]!;
    let left = 0;
    for (let at = 0; at < count; at++) {
      if (values[at]! >= offset) values[left++] = values[at]! - offset;
    }
    return left;
  }

  /** Keeps the starts for which another word is at the right position. */
  #keep(count: number, { values }: PositionList, others: number, word: number): number {
    const starts = this.#positions[0]!.values;
    const offset = this.#offsets[word]!;
    let left = 0;
    for (let at = 0, other = 0; at < count && other < others; at++) {
      const expected = starts[at]! + offset;
      while (other < others && values[other]! < expected) other++;
      if (other < others && values[other] === expected) starts[left++] = starts[at]!;
    }
    return left;
  }
}

export class PhraseScorer implements DocumentScorer {
  document = 0;
  readonly cost: number;
  readonly limit: number;
  readonly #keys: readonly KeyPhrase[];
  readonly #idf: number;
  #isStarted = false;

  constructor(segment: Segment, keys: readonly PhraseLists[], idf: number) {
    this.#keys = keys.map((lists) => new KeyPhrase(segment, lists, idf));
    this.#idf = idf;
    this.cost = this.#keys.reduce((sum, { cost }) => sum + cost, 0);
    this.limit = idf * saturate(this.#keys.reduce((sum, { limit }) => sum + limit, 0));
  }

  next(): number {
    if (!this.#isStarted) return this.seek(0);
    return this.document === NO_DOCUMENT ? NO_DOCUMENT : this.seek(this.document + 1);
  }

  seek(target: number): number {
    if (this.#isStarted && this.document >= target) return this.document;
    let first = NO_DOCUMENT;
    for (const key of this.#keys) {
      const isBehind = this.#isStarted && key.document >= target;
      const document = isBehind ? key.document : key.seek(target);
      if (document < first) first = document;
    }
    this.#isStarted = true;
    this.document = first;
    return first;
  }

  score(): number {
    let weight = 0;
    for (const key of this.#keys) {
      if (key.document === this.document) weight += key.weightOfDocument;
    }
    return this.#idf * saturate(weight);
  }

  get cursors(): readonly ListCursor[] {
    return this.#keys.flatMap(({ cursors }) => cursors);
  }

  /** True if the best documents of a search can be found by `scan`. */
  isScanned({ matches }: SegmentSearch): boolean {
    return matches === null && this.#keys.length === 1;
  }

  /** Reports all documents with greater scores. */
  scan(search: SegmentSearch): void {
    this.#keys[0]!.scan(search);
  }

  limitBetween(): number {
    return this.limit;
  }

  add({ scores, matches }: ScoreWindow, from: number, end: number): void {
    for (let document = this.seek(from); document < end; document = this.next()) {
      scores[document - from]! += this.score();
      matches[document - from]!++;
    }
  }
}
