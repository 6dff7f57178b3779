// Scores the documents of one list: an exact word in one key.

import type { DocumentScorer, ScoreWindow } from "./document-scorer.js";
import { ListCursor } from "./list-cursor.js";
import type { Segment } from "./segment.js";
import { K1, saturate, weightFactors, weightFor } from "./weights.js";

/** Factors by which a list contributes to scores. */
export interface ListWeight {
  /** Factor of frequencies by encoded length. */
  readonly factors: Float64Array;
  /** Factor of the segment's maximum weights. */
  readonly limitFactor: number;
}

export class ListScorer implements DocumentScorer {
  readonly cursor: ListCursor;
  readonly #factors: Float64Array;
  readonly #limitFactor: number;
  readonly #idf: number;
  readonly #bytes: Uint8Array;
  readonly #norms: number;
  /** Maximum weights of the segment by encoded length, for texts that contain the word once. */
  readonly #singles: Float64Array;
  /** Score that blocks are compared with, and the corresponding weights. */
  #cutoff = Number.NaN;
  #cutoffWeight = 0;
  #cutoffSingle = 0;

  constructor(segment: Segment, list: number, weight: ListWeight, idf: number) {
    this.cursor = new ListCursor(segment, list);
    this.#factors = weight.factors;
    this.#limitFactor = weight.limitFactor;
    this.#idf = idf;
    this.#bytes = segment.views.bytes;
    this.#norms = segment.normsOf(this.cursor.key);
    this.#singles = weightFactors(segment.averageOf(this.cursor.key), 1);
  }

  get cursors(): readonly ListCursor[] {
    return [this.cursor];
  }

  get document(): number {
    return this.cursor.document;
  }

  get cost(): number {
    return this.cursor.count;
  }

  get limit(): number {
    return this.#scoreOf(this.cursor.limit * this.#limitFactor);
  }

  next(): number {
    return this.cursor.next();
  }

  seek(target: number): number {
    return this.cursor.seek(target);
  }

  score(): number {
    return this.scoreOf(this.cursor.document, this.cursor.frequency);
  }

  /** Score of a document with a frequency of the word. */
  scoreOf(document: number, frequency: number): number {
    return this.#scoreOf(frequency * this.#factors[this.#bytes[this.#norms + document]!]!);
  }

  limitBetween(from: number, end: number): number {
    return this.#scoreOf(this.cursor.limitBetween(from, end) * this.#limitFactor);
  }

  add(window: ScoreWindow, from: number, end: number): void {
    const { cursor } = this;
    const { scores, matches } = window;
    const bytes = this.#bytes;
    const norms = this.#norms;
    const factors = this.#factors;
    const factor = this.#idf * (K1 + 1);
    for (let document = cursor.seek(from); document < end; ) {
      const { documents, size, frequencies } = cursor;
      let { position } = cursor;
      for (; position < size; position++) {
        document = documents[position]!;
        if (document >= end) break;
        const weight = frequencies[position]! * factors[bytes[norms + document]!]!;
        scores[document - from]! += (factor * weight) / (K1 + weight);
        matches[document - from]!++;
      }
      cursor.position = position - 1;
      document = cursor.next();
    }
  }

  /**
   * Enters the next block that may contain a greater score; false at the end. Its documents are
   * read from the first one on.
   */
  nextBlockOver(score: number): boolean {
    this.#prepare(score);
    return this.cursor.nextBlockOver(this.#cutoffWeight, this.#cutoffSingle);
  }

  /** True if the current block may contain a greater score. */
  isBlockOver(score: number): boolean {
    this.#prepare(score);
    return this.cursor.isOver(this.#cutoffWeight, this.#cutoffSingle);
  }

  /** Computes the weights that correspond to a score; caches those of the last score. */
  #prepare(score: number): void {
    if (this.#cutoff === score) return;
    this.#cutoff = score;
    const isAny = score <= 0;
    this.#cutoffWeight = isAny ? -1 : weightFor(score / this.#idf) / this.#limitFactor;
    this.#cutoffSingle = isAny ? -1 : this.#singleLimit(score);
  }

  /**
   * Returns the greatest stored weight of texts that contain the word once and do not exceed a
   * score. Compares computed scores, so that rounding does not distinguish equal ones.
   */
  #singleLimit(score: number): number {
    const norm = this.#normsOver(score, 1);
    return norm === this.#factors.length ? -1 : Math.fround(this.#singles[norm]!);
  }

  /**
   * Returns the first encoded length at which a text with a frequency of the word does not exceed a
   * score. Longer texts do not exceed it, either.
   */
  #normsOver(score: number, frequency: number): number {
    const factors = this.#factors;
    let low = 0;
    let high = factors.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#scoreOf(frequency * factors[middle]!) > score) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * Writes the positions, in the current block, of documents that may exceed a score; returns their
   * number. Does not decode frequencies.
   */
  listOver(score: number, positions: Uint8Array): number {
    const { documents, size, greatestFrequency } = this.cursor;
    const bytes = this.#bytes;
    const norms = this.#norms;
    const end = score < 0 ? this.#factors.length : this.#normsOver(score, greatestFrequency);
    let count = 0;
    for (let position = 0; position < size; position++) {
      if (bytes[norms + documents[position]!]! < end) positions[count++] = position;
    }
    return count;
  }

  /** Reports the documents of the current block with a greater score. */
  scanBlock(cutoff: number, take: (document: number, score: number) => number): void {
    const { cursor } = this;
    const { documents, frequencies, size } = cursor;
    const factors = this.#factors;
    let threshold = cutoff;
    for (let position = 0; position < size; position++) {
      const document = documents[position]!;
      const norm = this.#bytes[this.#norms + document]!;
      const score = this.#scoreOf(frequencies[position]! * factors[norm]!);
      if (score > threshold) threshold = take(document, score);
    }
  }

  #scoreOf(weight: number): number {
    return this.#idf * saturate(weight);
  }
}
