// The sink of queries that give entries: keeps what may be part of the page, counts the rest. It
// only stores handles and words; what they mean is read when the page is rendered.

import { ARC_WORDS } from "../../memory/layout.js";
import { moveArc } from "../match/arc-stack.js";
import type { HandleSet } from "../match/handle-set.js";
import { HitBuffer } from "./hit-buffer.js";
import type { HitOrder } from "./hit-order.js";
import type { ArcBatch, HitSink } from "./hit-sink.js";
import { TopK } from "./top-k.js";

/** What one execution keeps. */
export interface Collection {
  /** Null for the order in which hits come. */
  readonly order: HitOrder | null;
  /** How many may be shown: offset + hits. */
  readonly keep: number;
  /** Whether all are to be found, though no more are kept. */
  readonly isComplete: boolean;
  readonly countsNeighbors: boolean;
  /** Takes each head once. */
  readonly heads: HandleSet | null;
}

/** A thread runs one query at a time, so that all share one buffer. */
const buffer = new HitBuffer();

export class HitCollector implements HitSink {
  readonly hits = buffer;
  /** Words of the arcs taken, kept or not. */
  #words = 0;
  neighbors = 0;
  readonly countsNeighbors: boolean;
  readonly isCountOnly: boolean;
  readonly #keep: number;
  readonly #isComplete: boolean;
  readonly #heads: HandleSet | null;
  readonly #top: TopK | null;

  constructor({ order, keep, isComplete, countsNeighbors, heads }: Collection) {
    buffer.clear();
    this.countsNeighbors = countsNeighbors;
    this.isCountOnly = keep === 0 && heads === null && order?.isSelective !== true;
    this.#keep = keep;
    this.#isComplete = isComplete || order !== null;
    this.#heads = heads;
    this.#top = order === null ? null : new TopK(buffer, order, keep);
  }

  get room(): number {
    // Heads that come again take no room.
    if (this.#isComplete || this.#heads !== null) return Number.POSITIVE_INFINITY;
    return this.#keep - buffer.length;
  }

  /** Hits taken, kept or not. */
  get arcs(): number {
    return this.#words / ARC_WORDS;
  }

  take(batch: ArcBatch): boolean {
    if (this.#heads !== null) this.#dropKnown(batch, this.#heads);
    const { from, end } = batch;
    if (this.#top !== null) this.#words += this.#top.offer(batch);
    else {
      this.#words += end - from;
      const room = (this.#keep - buffer.length) * ARC_WORDS;
      buffer.push(batch, end - from > room ? from + room : end);
    }
    return this.#isComplete || buffer.length < this.#keep;
  }

  count(hits: number): void {
    this.#words += hits * ARC_WORDS;
  }

  neighbor(): void {
    this.neighbors++;
  }

  /** Leaves the arcs to heads that did not come yet, as many as are taken. */
  #dropKnown(batch: ArcBatch, heads: HandleSet): void {
    const { words, from, end } = batch;
    const taken = this.#isComplete ? end : from + (this.#keep - buffer.length) * ARC_WORDS;
    let top = from;
    for (let arc = from; arc < end && top < taken; arc += ARC_WORDS) {
      if (heads.add(words[arc]!)) top = moveArc(words, arc, top);
    }
    batch.end = top;
  }

  /** Slots of the kept hits in their order; null when they lie in it. */
  slots(): Uint32Array | null {
    return this.#top === null ? null : this.#top.sorted();
  }
}
