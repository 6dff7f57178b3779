// Receiver of a traversal's hits. Traversals are independent of fields, order and pages, sinks of
// filters and conditions; they exchange handles and words of arcs. A sink must not change the graph
// and must not run user code.

import { ARC_WORDS } from "../../memory/layout.js";
import type { BestValues } from "../match/best-values.js";

/**
 * Side of the tail on which the arc was found: outarcs, inarcs, both for a pair; arcs that
 * represent a group have no side.
 */
export const HitSide = { Out: 0, In: 1, Both: 2, Any: 3 } as const;
export type HitSideNumber = (typeof HitSide)[keyof typeof HitSide];

/**
 * Consecutive arcs of one tail: words `from` to `end`, three per arc. The object is reused.
 * Vertices found by a scan are heads with all other words 0 and level 1.
 */
export class ArcBatch {
  words: Uint32Array;
  from = 0;
  end = 0;
  tail = 0;
  level = 1;
  side: HitSideNumber = HitSide.Out;
  /** Path to the tail: the previous tail, and the words and side of the arc from there. */
  prev = 0;
  prevWord1 = 0;
  prevBits = 0;
  prevSide: HitSideNumber = HitSide.Out;

  constructor(words: Uint32Array) {
    this.words = words;
  }

  /** Number of arcs. */
  get length(): number {
    return (this.end - this.from) / ARC_WORDS;
  }
}

export interface HitSink {
  /** Hits that the sink still accepts; a traversal need not find more. */
  readonly room: number;
  /** True if `addNeighbors` is needed; distinguishing heads costs time. */
  readonly countsNeighbors: boolean;
  /** True if only the number of further hits matters: one `count` then replaces many `take`. */
  readonly isCountOnly: boolean;
  /** The hits to keep, if that depends on their values only; `count` is enough for others. */
  readonly best?: BestValues | null;
  /**
   * Takes one or more arcs of the result; returns false to stop the traversal. The sink may modify
   * the batch and its words, and must not keep them.
   */
  take(batch: ArcBatch): boolean;
  count(hits: number): void;
  /** Counts distinct matching heads of a vertex whose arcs are collected or scanned. */
  addNeighbors(count: number): void;
}

/** Sink of queries that only count. */
export class HitCounter implements HitSink {
  readonly room = Number.POSITIVE_INFINITY;
  readonly countsNeighbors = false;
  readonly isCountOnly = true;
  hits = 0;

  take(batch: ArcBatch): boolean {
    this.hits += batch.length;
    return true;
  }

  count(hits: number): void {
    this.hits += hits;
  }

  addNeighbors(): void {}
}
