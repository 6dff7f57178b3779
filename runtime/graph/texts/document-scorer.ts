// Iterator over the documents of a segment that contain a word or phrase, with their scores.

import type { ListCursor } from "./list-cursor.js";

/** Number of successive documents whose scores are computed together. */
export const WINDOW = 4096;

export interface DocumentScorer {
  /** The current document; `NO_DOCUMENT` at the end, 0 before the first `next` or `seek`. */
  readonly document: number;
  /** Approximate number of documents. */
  readonly cost: number;
  /** Maximum score of all documents. */
  readonly limit: number;
  /** Postings lists of the documents. */
  readonly cursors: readonly ListCursor[];
  /** Advances to the next document. */
  next(): number;
  /** Advances to the first document from the given one on; never goes back. */
  seek(target: number): number;
  /** Score of the current document. */
  score(): number;
  /** Maximum score of the documents in a range. */
  limitBetween(from: number, end: number): number;
  /**
   * Adds the scores of the documents in a range to those of a window, and 1 to the number of
   * matching words of each. Ranges of successive calls must ascend.
   */
  add(window: ScoreWindow, from: number, end: number): void;
}

/** Scores of some successive documents. */
export class ScoreWindow {
  readonly scores = new Float64Array(WINDOW);
  readonly matches = new Uint8Array(WINDOW);
}
