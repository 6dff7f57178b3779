// Iterator over the documents of a segment that contain a word or phrase, with their scores.

import type { ListCursor } from "./list-cursor.js";

/** Documents whose scores are computed together. */
export const WINDOW = 4096;

export interface DocumentScorer {
  /** The present document, `NO_DOCUMENT` at the end; 0 before the first `next` or `seek`. */
  readonly document: number;
  /** About how many documents there are. */
  readonly cost: number;
  /** Greatest score of any document. */
  readonly limit: number;
  /** Lists of the documents. */
  readonly cursors: readonly ListCursor[];
  /** Goes to the next document. */
  next(): number;
  /** Goes to the first document that is not below another one; never back. */
  seek(target: number): number;
  /** Score of the present document. */
  score(): number;
  /** Greatest score of the documents from one to another. */
  limitBetween(from: number, end: number): number;
  /**
   * Adds the scores of the documents from one to below another, which ascend from call to call, to
   * those of a window, and 1 to the number of words that each has.
   */
  add(window: ScoreWindow, from: number, end: number): void;
}

/** Scores of some successive documents. */
export class ScoreWindow {
  readonly scores = new Float64Array(WINDOW);
  readonly matches = new Uint8Array(WINDOW);
}
