// Arcs that expressions add to the result. They arrive one by one and are passed to the sink in
// batches of one tail, level and side.

import { ARC_WORDS } from "../../memory/layout.js";
import { ArcBatch, type HitSideNumber, type HitSink } from "./hit-sink.js";

const MAX_ARCS = 256;

export class SyntheticArcs extends ArcBatch {
  constructor() {
    super(new Uint32Array(MAX_ARCS * ARC_WORDS));
  }

  /** Returns whether an arc belongs to the current batch. */
  fits(level: number, tail: number, side: number): boolean {
    if (this.end === 0) return true;
    const isAlike = this.level === level && this.tail === tail && this.side === side;
    return isAlike && this.end < this.words.length;
  }

  /**
   * Adds an arc that fits.
   * @param path batch that leads to the tail; the first arc sets it for all
   */
  add(
    head: number,
    word1: number,
    bits: number,
    path: ArcBatch,
    level: number,
    tail: number,
    side: number,
  ): void {
    const { words, end } = this;
    if (end === 0) this.#begin(path, level, tail, side);
    words[end] = head;
    words[end + 1] = word1;
    words[end + 2] = bits;
    this.end = end + ARC_WORDS;
  }

  /** Passes the batch to a sink; false if it accepts no more. */
  flush(sink: HitSink): boolean {
    if (this.end === 0) return true;
    const acceptsMore = sink.take(this);
    this.clear();
    return acceptsMore;
  }

  clear(): void {
    this.from = 0;
    this.end = 0;
  }

  #begin(path: ArcBatch, level: number, tail: number, side: number): void {
    this.level = level;
    this.tail = tail;
    this.side = side as HitSideNumber;
    this.prev = path.prev;
    this.prevWord1 = path.prevWord1;
    this.prevBits = path.prevBits;
    this.prevSide = path.prevSide;
  }
}
