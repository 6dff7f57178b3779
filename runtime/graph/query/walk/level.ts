// State of one level of a traversal: the current tail, and sets of handles.

import { ArcBatch } from "../hits/hit-sink.js";
import { HandleSet } from "../match/handle-set.js";

export class Level {
  /** Arcs of the current tail, as passed to the sink. */
  readonly batch = new ArcBatch(NO_WORDS);
  /** Words of the arc being followed. */
  word1 = 0;
  bits = 0;
  /** Heads counted as neighbors of the current tail. */
  readonly counted = new HandleSet();
  /** Heads whose arcs are collected with their siblings. */
  readonly matched = new HandleSet();
  /** Vertices with an arc to the current tail, and those of them that it has one to. */
  readonly returning = new HandleSet();
  readonly paired = new HandleSet();

  constructor(level: number) {
    this.batch.level = level;
  }

  /** Moves to a tail reached by the arc followed above; null at the anchor. */
  enter(tail: number, above: Level | null): void {
    const { batch } = this;
    batch.tail = tail;
    batch.prev = above?.batch.tail ?? tail;
    batch.prevWord1 = above?.word1 ?? 0;
    batch.prevBits = above?.bits ?? 0;
    batch.prevSide = above?.batch.side ?? 0;
  }
}

const NO_WORDS = new Uint32Array(0);
