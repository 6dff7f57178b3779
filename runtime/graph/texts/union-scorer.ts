// Scores the documents of several lists that count as one word: a word in several keys, the terms
// with a prefix, words with typos, synonyms. Weights are summed before they saturate.

import { type DocumentScorer, type ScoreWindow, WINDOW } from "./document-scorer.js";
import { ListCursor, NO_DOCUMENT } from "./list-cursor.js";
import type { ListWeight } from "./list-scorer.js";
import type { Segment } from "./segment.js";
import { saturate, weightFor } from "./weights.js";

/** A postings list of a word with its contribution. */
export interface WeightedList {
  readonly list: number;
  readonly weight: ListWeight;
}

const ROUNDING = 1e-9;
/**
 * Maximum number of lists with limits for a window; with more, the sum of the limits exceeds every
 * threshold.
 */
const MAX_LIMITED = 16;

/** Options of a scan. */
export interface UnionScan {
  readonly documents: number;
  /** Scores must exceed it; negative infinity: all matches. */
  readonly threshold: number;
  /** Returns the score that further documents must exceed. */
  readonly take: (document: number, score: number) => number;
  readonly spend: (documents: number) => void;
  /** Receives every match, whatever its score; null if only greater scores count. */
  readonly matches: TakeMatches | null;
}

/** Receives documents of a segment in ascending order; the array is reused. */
export type TakeMatches = (documents: Uint32Array, count: number) => void;

export class UnionScorer implements DocumentScorer {
  document = 0;
  readonly cost: number;
  readonly limit: number;
  readonly cursors: readonly ListCursor[];
  readonly #listWeights: readonly ListWeight[];
  /** By list: first document after the window, so that most lists can be skipped. */
  readonly #heads: Uint32Array;
  readonly #idf: number;
  readonly #segment: Segment;
  /** Weights of the documents from `#from` on; 0 if no list contains the document. */
  readonly #weights = new Float64Array(WINDOW);
  #from = 0;
  #end = 0;
  #isStarted = false;

  constructor(segment: Segment, lists: readonly WeightedList[], idf: number) {
    this.#segment = segment;
    this.#idf = idf;
    this.cursors = lists.map(({ list }) => new ListCursor(segment, list));
    this.#listWeights = lists.map(({ weight }) => weight);
    this.#heads = new Uint32Array(lists.length);
    this.cost = this.cursors.reduce((sum, { count }) => sum + count, 0);
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
    if (this.cursors.length > MAX_LIMITED) return this.limit;
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

  /** Reports all documents with greater scores. */
  scan({ documents, threshold, take, spend, matches }: UnionScan): void {
    const found = matches === null ? null : new Uint32Array(WINDOW);
    let over = threshold;
    let least = this.#leastWeight(over);
    for (let from = 0; from < documents; from += WINDOW) {
      const end = Math.min(from + WINDOW, documents);
      if (found === null && over >= 0 && this.limitBetween(from, end - 1) <= over) continue;
      this.#fill(from);
      spend(end - from);
      if (found !== null) matches!(found, this.#listDocuments(found, end - from));
      const weights = this.#weights;
      for (let at = 0; at < end - from; at++) {
        const weight = weights[at]!;
        if (weight <= least) continue;
        const score = this.#idf * saturate(weight);
        if (score <= over) continue;
        over = take(from + at, score);
        least = this.#leastWeight(over);
      }
    }
  }

  /** Writes the documents of the window; returns their number. */
  #listDocuments(into: Uint32Array, size: number): number {
    const weights = this.#weights;
    let count = 0;
    for (let at = 0; at < size; at++) if (weights[at]! > 0) into[count++] = this.#from + at;
    return count;
  }

  /** Returns a weight that greater scores exceed, slightly reduced for rounding. */
  #leastWeight(over: number): number {
    return over <= 0 ? 0 : weightFor(over / this.#idf) * (1 - ROUNDING);
  }

  #sumLimits(limitOf: (cursor: ListCursor) => number): number {
    let sum = 0;
    for (const [at, cursor] of this.cursors.entries()) {
      sum += limitOf(cursor) * this.#listWeights[at]!.limitFactor;
    }
    return sum;
  }

  /** Returns the first document after the window. */
  #nextDocument(): number {
    let least = NO_DOCUMENT;
    for (let at = 0; at < this.#heads.length; at++) {
      // A head within the window has not been searched yet.
      let head = this.#heads[at]!;
      if (head < this.#end) {
        head = this.cursors[at]!.seek(this.#end);
        this.#heads[at] = head;
      }
      if (head < least) least = head;
    }
    return least;
  }

  #fill(from: number): void {
    this.#weights.fill(0);
    this.#from = from;
    this.#end = from + WINDOW;
    const heads = this.#heads;
    for (let at = 0; at < heads.length; at++) {
      if (heads[at]! < this.#end) heads[at] = this.#addList(at, from);
    }
  }

  /** Adds the weights of a list in the window; returns its first document after the window. */
  #addList(list: number, from: number): number {
    const cursor = this.cursors[list]!;
    const { factors } = this.#listWeights[list]!;
    const { bytes } = this.#segment.views;
    const weights = this.#weights;
    const norms = this.#segment.normsOf(cursor.key);
    const end = this.#end;
    let document = cursor.seek(from);
    while (document < end) {
      const { documents, size, frequencies } = cursor;
      let { place } = cursor;
      for (; place < size; place++) {
        document = documents[place]!;
        if (document >= end) break;
        weights[document - from]! += frequencies[place]! * factors[bytes[norms + document]!]!;
      }
      cursor.place = place - 1;
      document = cursor.next();
    }
    return document;
  }
}
