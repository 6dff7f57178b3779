// Scores the union of several lists that count as one word: the same word in several keys, terms
// with a prefix, words with typos, synonyms. Weights are summed before they saturate.

import { type DocumentScorer, type ScoreWindow, WINDOW } from "./document-scorer.js";
import { ListCursor, NO_DOCUMENT } from "./list-cursor.js";
import type { ListWeight } from "./list-scorer.js";
import type { Segment } from "./segment.js";
import type { SegmentSearch } from "./segment-search.js";
import { saturate, weightFor } from "./weights.js";

/** A postings list with its weight. */
export interface WeightedList {
  readonly list: number;
  readonly weight: ListWeight;
}

const ROUNDING = 1e-9;
/** Cost of a document lookup in a list, relative to reading the next document. */
const SEEK_COST = 16;
/** Number of documents per mark. */
const GROUP = 32;
const GROUP_SHIFT = Math.log2(GROUP);
/** If more than 1 in 8 groups is used, the whole window is cleared. */
const MIN_USED_SHARE = 8;
/** With more lists, limits of windows are not computed: their sum would exceed every threshold. */
const MAX_LISTS_WITH_LIMITS = 16;

export class UnionScorer implements DocumentScorer {
  document = 0;
  readonly cost: number;
  readonly limit: number;
  readonly cursors: readonly ListCursor[];
  readonly #listWeights: readonly ListWeight[];
  /** By list: first unread document. A list whose head is after the window is skipped. */
  readonly #heads: Uint32Array;
  readonly #idf: number;
  readonly #segment: Segment;
  /** Weights of the documents of the window; 0 if no list contains the document. */
  readonly #weights = new Float64Array(WINDOW);
  /** By group: 1 if a list contains a document of the group. */
  readonly #used = new Uint8Array(WINDOW / GROUP);
  /** By group: 1 if the weight of a document exceeds `#minWeight`. */
  readonly #high = new Uint8Array(WINDOW / GROUP);
  #minWeight = 0;
  #from = 0;
  #end = 0;
  #isStarted = false;
  /** Whether documents are looked up one by one, without a window. */
  #isSparse = false;

  constructor(segment: Segment, lists: readonly WeightedList[], idf: number) {
    this.#segment = segment;
    this.#idf = idf;
    this.cursors = lists.map(({ list }) => new ListCursor(segment, list));
    this.#listWeights = lists.map(({ weight }) => weight);
    this.#heads = new Uint32Array(lists.length);
    this.cost = this.cursors.reduce((sum, { count }) => sum + count, 0);
    this.limit = this.#idf * saturate(this.#sumLimits(({ limit }) => limit));
  }

  /** Announces the maximum number of lookups; call before the first one. */
  expectSeeks(count: number): void {
    this.#isSparse = count * this.cursors.length * SEEK_COST < this.cost;
  }

  next(): number {
    if (!this.#isStarted) return this.seek(0);
    return this.document === NO_DOCUMENT ? NO_DOCUMENT : this.seek(this.document + 1);
  }

  seek(target: number): number {
    if (this.#isStarted && this.document >= target) return this.document;
    this.#isStarted = true;
    if (this.#isSparse) return this.#seekLists(target);
    if (target >= this.#end) this.#fill(target);
    for (;;) {
      const at = this.#nextMatch(Math.max(target - this.#from, 0));
      if (at < WINDOW) {
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
    const weight = this.#isSparse ? this.#sumWeights() : this.#weights[this.document - this.#from]!;
    return this.#idf * saturate(weight);
  }

  limitBetween(from: number, end: number): number {
    // The cursors have already passed this window.
    if (from < this.#end || this.cursors.length > MAX_LISTS_WITH_LIMITS) return this.limit;
    return this.#idf * saturate(this.#sumLimits((cursor) => cursor.limitBetween(from, end)));
  }

  add(window: ScoreWindow, from: number, end: number): void {
    // The window that was read ahead is a later one: no list has a document before it.
    if (end <= this.#from) return;
    if (from >= this.#end) this.#fill(from);
    const { scores, matches } = window;
    const weights = this.#weights;
    const shift = from - this.#from;
    const last = end - this.#from;
    for (let at = this.#nextMatch(shift); at < last; at = this.#nextMatch(at + 1)) {
      scores[at - shift]! += this.#idf * saturate(weights[at]!);
      matches[at - shift]!++;
    }
  }

  /** Reports all documents with scores above the threshold. */
  scan({ documents, threshold, take, spend, matches }: SegmentSearch): void {
    const matching = matches === null ? null : new Uint32Array(WINDOW);
    let cutoff = threshold;
    const weights = this.#weights;
    const high = this.#high;
    this.#minWeight = this.#minWeightFor(cutoff);
    for (let from = 0; from < documents; from += WINDOW) {
      const end = Math.min(from + WINDOW, documents);
      if (matching === null && cutoff >= 0 && this.limitBetween(from, end - 1) <= cutoff) continue;
      this.#fill(from);
      spend(end - from);
      if (matching !== null) matches!(matching, this.#listDocuments(matching));
      for (let group = 0; group < high.length; group++) {
        if (high[group] === 0) continue;
        for (let at = group * GROUP; at < (group + 1) * GROUP; at++) {
          if (weights[at]! <= this.#minWeight) continue;
          const score = this.#idf * saturate(weights[at]!);
          if (score <= cutoff) continue;
          cutoff = take(from + at, score);
          this.#minWeight = this.#minWeightFor(cutoff);
        }
      }
    }
    this.#minWeight = 0;
  }

  #seekLists(target: number): number {
    let first = NO_DOCUMENT;
    for (const cursor of this.cursors) {
      const document = cursor.seek(target);
      if (document < first) first = document;
    }
    this.document = first;
    return first;
  }

  /** Returns the weight of the current document, summed in the same order as in a window. */
  #sumWeights(): number {
    const { bytes } = this.#segment.views;
    let weight = 0;
    for (const [at, cursor] of this.cursors.entries()) {
      if (cursor.document !== this.document) continue;
      const { factors } = this.#listWeights[at]!;
      const norm = bytes[this.#segment.normsOf(cursor.key) + this.document]!;
      weight += cursor.frequencyAt(cursor.position) * factors[norm]!;
    }
    return weight;
  }

  /** Writes the matching documents of the window; returns their number. */
  #listDocuments(into: Uint32Array): number {
    let count = 0;
    for (let at = this.#nextMatch(0); at < WINDOW; at = this.#nextMatch(at + 1)) {
      into[count++] = this.#from + at;
    }
    return count;
  }

  /** Returns the offset of the next match in the window; `WINDOW` if there is none. */
  #nextMatch(from: number): number {
    const used = this.#used;
    const weights = this.#weights;
    let at = from;
    while (at < WINDOW) {
      if (used[at >>> GROUP_SHIFT] === 0) at = (at | (GROUP - 1)) + 1;
      else if (weights[at]! > 0) return at;
      else at++;
    }
    return WINDOW;
  }

  /** Returns the minimum weight of scores above the threshold, slightly reduced for rounding. */
  #minWeightFor(cutoff: number): number {
    return cutoff <= 0 ? 0 : weightFor(cutoff / this.#idf) * (1 - ROUNDING);
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
    let first = NO_DOCUMENT;
    for (const head of this.#heads) if (head < first) first = head;
    return first;
  }

  /** Reads the window of a document. Cursors only move forward, so windows do not overlap. */
  #fill(document: number): void {
    this.#clear();
    const from = document - (document % WINDOW);
    this.#from = from;
    this.#end = from + WINDOW;
    const heads = this.#heads;
    for (let at = 0; at < heads.length; at++) {
      if (heads[at]! < this.#end) heads[at] = this.#addList(at, from);
    }
  }

  #clear(): void {
    const used = this.#used;
    const weights = this.#weights;
    let count = 0;
    for (let group = 0; group < used.length; group++) count += used[group]!;
    if (count === 0) return;
    if (count * MIN_USED_SHARE > used.length) weights.fill(0);
    else {
      for (let group = 0; group < used.length; group++) {
        if (used[group] === 0) continue;
        for (let at = group * GROUP; at < (group + 1) * GROUP; at++) weights[at] = 0;
      }
    }
    used.fill(0);
    this.#high.fill(0);
  }

  /** Adds the weights of a list in the window; returns its first document after the window. */
  #addList(list: number, from: number): number {
    const cursor = this.cursors[list]!;
    const { factors } = this.#listWeights[list]!;
    let document = cursor.seek(from);
    while (document < this.#end) {
      cursor.position = cursor.isSingle
        ? this.#addSingles(cursor, factors, from)
        : this.#addBlock(cursor, factors, from);
      document = cursor.next();
    }
    return document;
  }

  /** Adds the weights of a block; returns the offset of its last document in the window. */
  #addBlock(cursor: ListCursor, factors: Float64Array, from: number): number {
    const { documents, size, frequencies } = cursor;
    const { bytes } = this.#segment.views;
    const weights = this.#weights;
    const used = this.#used;
    const high = this.#high;
    const minWeight = this.#minWeight;
    const norms = this.#segment.normsOf(cursor.key);
    let { position } = cursor;
    for (; position < size; position++) {
      const document = documents[position]!;
      const at = document - from;
      if (at >= WINDOW) break;
      const weight = weights[at]! + frequencies[position]! * factors[bytes[norms + document]!]!;
      weights[at] = weight;
      used[at >>> GROUP_SHIFT] = 1;
      if (weight > minWeight) high[at >>> GROUP_SHIFT] = 1;
    }
    return position - 1;
  }

  /** Like `#addBlock`, for a block in which each text contains the word once. */
  #addSingles(cursor: ListCursor, factors: Float64Array, from: number): number {
    const { documents, size } = cursor;
    const { bytes } = this.#segment.views;
    const weights = this.#weights;
    const used = this.#used;
    const high = this.#high;
    const minWeight = this.#minWeight;
    const norms = this.#segment.normsOf(cursor.key);
    let { position } = cursor;
    for (; position < size; position++) {
      const document = documents[position]!;
      const at = document - from;
      if (at >= WINDOW) break;
      const weight = weights[at]! + factors[bytes[norms + document]!]!;
      weights[at] = weight;
      used[at >>> GROUP_SHIFT] = 1;
      if (weight > minWeight) high[at >>> GROUP_SHIFT] = 1;
    }
    return position - 1;
  }
}
