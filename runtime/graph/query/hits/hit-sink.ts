// Where a walk puts what it finds. The walk knows nothing of fields, order and pages, the sink
// nothing of filters and conditions; what they share are the handles and words of one arc. A sink
// must not change the graph and must not run code of users.

import { ARC_WORDS } from "../../memory/layout.js";

/** On which side of the tail the arc was found: its outarcs, its inarcs, or a pair of both. */
export const HitSide = { Out: 0, In: 1, Both: 2 } as const;
export type HitSideNumber = (typeof HitSide)[keyof typeof HitSide];

export interface HitSink {
  /** Hits that it still takes before `emit` says false; a walk need not look for more. */
  readonly room: number;
  /** True if `neighbor` counts. To tell heads apart costs, so it is called only then. */
  readonly countsNeighbors: boolean;
  /** True if nothing of a hit but its number matters: `count` then stands for many `emit`. */
  readonly isCountOnly: boolean;
  /**
   * Takes an arc of the result; false ends the walk. A scan of vertices gives each as `head`, with
   * all else 0 and level 1.
   */
  emit(
    level: number,
    tail: number,
    head: number,
    word1: number,
    value: number,
    side: HitSideNumber,
  ): boolean;
  /** The same for arcs of one tail that lie one after the other, three words each; at least one. */
  emitRun(
    level: number,
    tail: number,
    arcs: Uint32Array,
    from: number,
    end: number,
    side: HitSideNumber,
  ): boolean;
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

  emit(): boolean {
    this.hits++;
    return true;
  }

  emitRun(_level: number, _tail: number, _arcs: Uint32Array, from: number, end: number): boolean {
    this.hits += (end - from) / ARC_WORDS;
    return true;
  }

  count(hits: number): void {
    this.hits += hits;
  }

  neighbor(): void {}
}
