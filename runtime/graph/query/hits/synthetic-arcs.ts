// Arcs that expressions add to the result. They arrive one by one and are passed to the sink in
// batches of one tail, level and side.

import { ARC_WORDS } from "../../memory/layout.js";
import { ArcBatch, type HitSideNumber, type HitSink } from "./hit-sink.js";

const MOST_ARCS = 256;

export class SyntheticArcs extends ArcBatch {
  constructor() {
    super(new Uint32Array(MOST_ARCS * ARC_WORDS));
  }

  /** Returns whether an arc belongs to the current batch. */
  fits(level: number, tail: number, side: number): boolean {
    if (this.end === 0) return true;
    const isAlike = this.level === level && this.tail === tail && this.side === side;
    return isAlike && this.end < this.words.length;
  }

  /** Adds an arc that fits; the first one sets the batch's path. */
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

  /** Passes the batch to a sink; false if it accepts no more. */
  flush(sink: HitSink): boolean {
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
