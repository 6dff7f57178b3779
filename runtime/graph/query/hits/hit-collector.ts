// The sink of queries that give entries: keeps what may be part of the page, counts the rest. It
// only stores handles and words; what they mean is read when the page is rendered.

import { ARC_WORDS } from "../../memory/layout.js";
import type { HandleSet } from "../match/handle-set.js";
import { HitBuffer } from "./hit-buffer.js";
import type { HitOrder } from "./hit-order.js";
import type { HitSideNumber, HitSink } from "./hit-sink.js";
import { TopHits } from "./top-hits.js";

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
  /** Hits taken, kept or not. */
  arcs = 0;
  neighbors = 0;
  readonly countsNeighbors: boolean;
  readonly isCountOnly: boolean;
  readonly #keep: number;
  readonly #isComplete: boolean;
  readonly #heads: HandleSet | null;
  readonly #top: TopHits | null;

  constructor({ order, keep, isComplete, countsNeighbors, heads }: Collection) {
    buffer.clear();
    this.countsNeighbors = countsNeighbors;
    this.isCountOnly = keep === 0 && heads === null;
    this.#keep = keep;
    this.#isComplete = isComplete || order !== null;
    this.#heads = heads;
    this.#top = order === null ? null : new TopHits(buffer, order, keep);
  }

  get room(): number {
    // Heads that come again take no room.
    if (this.#isComplete || this.#heads !== null) return Number.POSITIVE_INFINITY;
    return this.#keep - buffer.length;
  }

  emit(
    level: number,
    tail: number,
    head: number,
    word1: number,
    value: number,
    side: HitSideNumber,
  ): boolean {
    if (this.#heads !== null && !this.#heads.add(head)) return true;
    this.arcs++;
    if (this.#top !== null) this.#top.offer(level, tail, head, word1, value, side);
    else if (buffer.length < this.#keep) buffer.push(level, tail, head, word1, value, side);
    return this.#isComplete || buffer.length < this.#keep;
  }

  emitRun(
    level: number,
    tail: number,
    arcs: Uint32Array,
    from: number,
    end: number,
    side: HitSideNumber,
  ): boolean {
    const count = (end - from) / ARC_WORDS;
    if (this.#heads === null && this.#top === null) {
      this.arcs += count;
      const kept = Math.min(count, this.#keep - buffer.length);
      buffer.pushRun(level, tail, arcs, from, kept, side);
      return this.#isComplete || buffer.length < this.#keep;
    }
    if (this.#heads === null && this.#top !== null) {
      this.arcs += count;
      this.#top.offerRun(level, tail, arcs, from, end, side);
      return true;
    }
    for (let arc = from; arc < end; arc += ARC_WORDS) {
      const isTaken = this.emit(level, tail, arcs[arc]!, arcs[arc + 1]!, arcs[arc + 2]!, side);
      if (!isTaken) return false;
    }
    return true;
  }

  count(hits: number): void {
    this.arcs += hits;
  }

  neighbor(): void {
    this.neighbors++;
  }

  /** Slots of the kept hits in their order; null when they lie in it. */
  slots(): Uint32Array | null {
    return this.#top === null ? null : this.#top.sorted();
  }
}
