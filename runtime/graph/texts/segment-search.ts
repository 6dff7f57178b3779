// A search of one segment: scorers, conditions and receivers of documents.

import type { DocumentScorer } from "./document-scorer.js";

/** Receives matching documents in ascending order; the array is reused. */
export type TakeMatches = (documents: Uint32Array, count: number) => void;

/** Receives a document; returns the new threshold. */
export type TakeDocument = (document: number, score: number) => number;

export interface SegmentSearch {
  /** Number of documents in the segment. */
  readonly documents: number;
  /** Scorers of the words and phrases that occur in the segment. */
  readonly scorers: readonly DocumentScorer[];
  /** Excluded words and phrases. */
  readonly excluded: readonly DocumentScorer[];
  /** Number of scorers that a document must match, at least 1. */
  readonly minMatches: number;
  /** Score that documents must exceed; negative infinity: every match is reported. */
  readonly threshold: number;
  readonly take: TakeDocument;
  /** Receives every match, regardless of its score; null if not needed. */
  readonly matches: TakeMatches | null;
  /** Counts examined documents; throws after the deadline. */
  readonly spend: (documents: number) => void;
}
