// Scores the documents of several lists that count as one word: a word in several keys, the terms
// that begin with a prefix, words with typos, synonyms. Weights are added, and saturate once.

import { type DocumentScorer, type ScoreWindow, WINDOW } from "./document-scorer.js";
import { ListCursor, NO_DOCUMENT } from "./list-cursor.js";
import type { ListWeight } from "./list-scorer.js";
import type { Segment } from "./segment.js";
import { saturate } from "./weights.js";

/** A list of a word, with what it counts. */
export interface WeightedList {
  readonly list: number;
  readonly weight: ListWeight;
}

export class UnionScorer implements DocumentScorer {
  document = 0;
  readonly cost: number;
  readonly limit: number;
  readonly #lists: readonly { readonly cursor: ListCursor; readonly weight: ListWeight }[];
  readonly #idf: number;
  readonly #segment: Segment;
  /** Weights of the documents from `#from` on; 0 where no list has the document. */
  readonly #weights = new Float64Array(WINDOW);
  #from = 0;
  #end = 0;
  #isStarted = false;

  constructor(segment: Segment, lists: readonly WeightedList[], idf: number) {
    this.#segment = segment;
    this.#idf = idf;
    this.#lists = lists.map(({ list, weight }) => ({
      cursor: new ListCursor(segment, list),
      weight,
    }));
    this.cost = this.#lists.reduce((sum, { cursor }) => sum + cursor.count, 0);
    this.limit = this.#idf * saturate(this.#sumLimits(({ limit }) => limit));
  }

  next(): number {
    if (!this.#isStarted) return this.seek(0);
    return this.document === NO_DOCUMENT ? NO_DOCUMENT : this.seek(this.document + 1);
  }

  seek(target: number): number {
    if (this.#isStarted && this.document >= target) return this.document;
    this.#isStarted = true;
    if (target >= this.#end) this.#fill(target);
    for (;;) {
      const weights = this.#weights;
      const end = this.#end - this.#from;
      for (let at = Math.max(target - this.#from, 0); at < end; at++) {
        if (weights[at] === 0) continue;
        this.document = this.#from + at;
        return this.document;
      }
      const next = this.#nextDocument();
      if (next === NO_DOCUMENT) {
        this.document = NO_DOCUMENT;
        return NO_DOCUMENT;
      }
      this.#fill(next);
    }
  }

  score(): number {
    return this.#idf * saturate(this.#weights[this.document - this.#from]!);
  }

  limitBetween(from: number, end: number): number {
    return this.#idf * saturate(this.#sumLimits((cursor) => cursor.limitBetween(from, end)));
  }

  add(window: ScoreWindow, from: number, end: number): void {
    if (from < this.#from || end > this.#end) this.#fill(from);
    const { scores, matches } = window;
    const weights = this.#weights;
    const shift = from - this.#from;
    for (let at = 0; at < end - from; at++) {
      const weight = weights[at + shift]!;
      if (weight === 0) continue;
      scores[at]! += this.#idf * saturate(weight);
      matches[at]!++;
    }
  }

  #sumLimits(limitOf: (cursor: ListCursor) => number): number {
    let sum = 0;
    for (const { cursor, weight } of this.#lists) sum += limitOf(cursor) * weight.limitFactor;
    return sum;
  }

  /** The least document behind the window. */
  #nextDocument(): number {
    let least = NO_DOCUMENT;
    for (const { cursor } of this.#lists) {
      const document = cursor.seek(this.#end);
      if (document < least) least = document;
    }
    return least;
  }

  #fill(from: number): void {
    const weights = this.#weights;
    weights.fill(0);
    this.#from = from;
    this.#end = from + WINDOW;
    const { bytes } = this.#segment.views;
    for (const { cursor, weight } of this.#lists) {
      const norms = this.#segment.normsOf(cursor.key);
      const { factors } = weight;
      for (let document = cursor.seek(from); document < this.#end; ) {
        const { documents, size, frequencies } = cursor;
        let { place } = cursor;
        for (; place < size; place++) {
          document = documents[place]!;
          if (document >= this.#end) break;
          weights[document - from]! += frequencies[place]! * factors[bytes[norms + document]!]!;
        }
        cursor.place = place - 1;
        document = cursor.next();
      }
    }
  }
}
