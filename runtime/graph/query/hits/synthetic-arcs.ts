// Arcs that expressions put into the result. They come one by one, and go to the sink as batches,
// as other arcs do: as long as they have one tail, level and side.

import { ARC_WORDS } from "../../memory/layout.js";
import { ArcBatch, type HitSideNumber, type HitSink } from "./hit-sink.js";

const MOST_ARCS = 256;

export class SyntheticArcs extends ArcBatch {
  constructor() {
    super(new Uint32Array(MOST_ARCS * ARC_WORDS));
  }

  /** False if it cannot go with those that are here already. */
  fits(level: number, tail: number, side: number): boolean {
    if (this.end === 0) return true;
    const isAlike = this.level === level && this.tail === tail && this.side === side;
    return isAlike && this.end < this.words.length;
  }

  /** Adds one that fits; the first one says where they were met, which is on the way of others. */
  add(
    head: number,
    word1: number,
    bits: number,
    way: ArcBatch,
    level: number,
    tail: number,
    side: number,
  ): void {
    const { words, end } = this;
    if (end === 0) this.#begin(way, level, tail, side);
    words[end] = head;
    words[end + 1] = word1;
    words[end + 2] = bits;
    this.end = end + ARC_WORDS;
  }

  /** Gives those that are here to a sink; false if it takes no more. */
  give(sink: HitSink): boolean {
    if (this.end === 0) return true;
    const takesMore = sink.take(this);
    this.clear();
    return takesMore;
  }

  clear(): void {
    this.from = 0;
    this.end = 0;
  }

  #begin(way: ArcBatch, level: number, tail: number, side: number): void {
    this.level = level;
    this.tail = tail;
    this.side = side as HitSideNumber;
    this.prev = way.prev;
    this.prevWord1 = way.prevWord1;
    this.prevBits = way.prevBits;
    this.prevSide = way.prevSide;
  }
}
