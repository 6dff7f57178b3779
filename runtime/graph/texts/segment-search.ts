// A search of one segment: what is searched, and who receives the documents.

import type { DocumentScorer } from "./document-scorer.js";

/** Receives documents of a segment in ascending order; the array is reused. */
export type TakeMatches = (documents: Uint32Array, count: number) => void;

/** Receives a document; returns the score that further ones must exceed. */
export type TakeDocument = (document: number, score: number) => number;

export interface SegmentSearch {
  /** Number of documents in the segment. */
  readonly documents: number;
  /** Words and phrases of the search that the segment contains. */
  readonly scorers: readonly DocumentScorer[];
  /** Excluded words and phrases. */
  readonly excluded: readonly DocumentScorer[];
  /** Number of scorers that a document must match, at least 1. */
  readonly least: number;
  /** Minimum score; negative infinity: every match is reported. */
  readonly threshold: number;
  readonly take: TakeDocument;
  /** Receives every match, whatever its score; null if only scores above the threshold count. */
  readonly matches: TakeMatches | null;
  /** Counts examined documents; throws after the deadline. */
  readonly spend: (documents: number) => void;
}
