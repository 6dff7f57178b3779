// Where a walk puts what it finds. The walk knows nothing of fields, order and pages, the sink
// nothing of filters and conditions; what they share are the handles and words of arcs. A sink
// must not change the graph and must not run code of users.

import { ARC_WORDS } from "../../memory/layout.js";

/**
 * On which side of the tail the arc was found: its outarcs, its inarcs, or a pair of both; arcs
 * that stand for a group have none.
 */
export const HitSide = { Out: 0, In: 1, Both: 2, Any: 3 } as const;
export type HitSideNumber = (typeof HitSide)[keyof typeof HitSide];

/**
 * Arcs of one tail that lie one after the other: words `from` to `end`, three an arc. One object
 * serves for many batches. Vertices that a scan finds are heads, with all else 0 and level 1.
 */
export class ArcBatch {
  words: Uint32Array;
  from = 0;
  end = 0;
  tail = 0;
  level = 1;
  side: HitSideNumber = HitSide.Out;
  /** How the tail was reached: the tail before it, words and side of the arc from there. */
  prev = 0;
  prevWord1 = 0;
  prevBits = 0;
  prevSide: HitSideNumber = HitSide.Out;

  constructor(words: Uint32Array) {
    this.words = words;
  }

  /** How many arcs there are. */
  get length(): number {
    return (this.end - this.from) / ARC_WORDS;
  }
}

export interface HitSink {
  /** Hits that it still takes before `take` says false; a walk need not look for more. */
  readonly room: number;
  /** True if `neighbor` counts. To tell heads apart costs, so it is called only then. */
  readonly countsNeighbors: boolean;
  /** True if nothing of a hit but its number matters: `count` then stands for many `take`. */
  readonly isCountOnly: boolean;
  /**
   * Takes arcs of the result, at least one; false ends the walk. The batch and its words may be
   * changed, and are not to be kept.
   */
  take(batch: ArcBatch): boolean;
  count(hits: number): void;
  /** Takes a distinct head that matched on a level whose arcs are collected or scanned. */
  neighbor(level: number): void;
}

/** The sink of queries that only want to know how many. */
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

  neighbor(): void {}
}
