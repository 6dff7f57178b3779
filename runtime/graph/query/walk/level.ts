// What a walk keeps for one of its levels: the tail it is at, and sets of handles.

import { ArcBatch } from "../hits/hit-sink.js";
import { HandleSet } from "../match/handle-set.js";

export class Level {
  /** Arcs of the present tail, as they are given to the sink. */
  readonly batch = new ArcBatch(NO_WORDS);
  /** Words of the arc that is being followed. */
  word1 = 0;
  bits = 0;
  /** Heads that have counted as neighbors of the present tail. */
  readonly counted = new HandleSet();
  /** Heads whose arcs are to be collected with their siblings. */
  readonly matched = new HandleSet();
  /** Vertices that have an arc to the present tail; those of them that it has one to. */
  readonly returning = new HandleSet();
  readonly paired = new HandleSet();

  constructor(level: number) {
    this.batch.level = level;
  }

  /** Goes to a tail that was reached by the arc that is being followed above; null at the start. */
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
