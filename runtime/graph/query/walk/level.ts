// State of one level of a traversal: the current tail, and sets of handles.

import { ARC_WORDS } from "../../memory/layout.js";
import { ArcBatch } from "../hits/hit-sink.js";
import { HandleSet } from "../match/handle-set.js";
import { Reach } from "./reach.js";

export class Level {
  /** Number of rules above; `batch.level` is the number of arcs from the anchor. */
  readonly index: number;
  /** Arcs of the current tail, as passed to the sink. */
  readonly batch = new ArcBatch(NO_WORDS);
  /** Words of the arc being followed. */
  word1 = 0;
  bits = 0;
  /** Arcs read of the current tail, and itself: not counted against limits yet. */
  visited = 0;
  /** Heads counted as neighbors of the current tail. */
  readonly counted = new HandleSet();
  /** True if no two arcs of the current tail have the same head, so that none need be kept. */
  hasDistinctHeads = false;
  /** Heads whose arcs are collected with their siblings. */
  readonly matched = new HandleSet();
  /** Vertices with an arc to the current tail, and those of them that it has one to. */
  readonly returning = new HandleSet();
  readonly paired = new HandleSet();
  /** Vertices reached by a rule of several arcs. */
  readonly reach = new Reach();

  constructor(index: number) {
    this.index = index;
  }

  /** Returns how many heads the current tail has that were not counted before. */
  countHeads(words: Uint32Array, from: number, end: number): number {
    if (this.hasDistinctHeads) return (end - from) / ARC_WORDS;
    let heads = 0;
    for (let arc = from; arc < end; arc += ARC_WORDS) if (this.counted.add(words[arc]!)) heads++;
    return heads;
  }

  /** Moves to a tail reached by the arc followed above; null at the anchor. */
  enter(tail: number, above: Level | null): void {
    const { batch } = this;
    batch.tail = tail;
    batch.level = (above?.batch.level ?? 0) + 1;
    batch.prev = above?.batch.tail ?? tail;
    batch.prevWord1 = above?.word1 ?? 0;
    batch.prevBits = above?.bits ?? 0;
    batch.prevSide = above?.batch.side ?? 0;
  }
}

const NO_WORDS = new Uint32Array(0);
