// Sink of queries that return entries: keeps the hits that may be on the page and counts the rest.
// It stores handles and words only; they are resolved when the page is rendered.

import { ARC_WORDS } from "../../memory/layout.js";
import { moveArc } from "../match/arc-stack.js";
import { type BestValues, MAX_BEST } from "../match/best-values.js";
import type { HandleSet } from "../match/handle-set.js";
import type { HeadList } from "./head-list.js";
import { HitBuffer } from "./hit-buffer.js";
import type { HitOrder } from "./hit-order.js";
import type { ArcBatch, HitSink } from "./hit-sink.js";
import type { PagePosition } from "./page-position.js";
import { TopK } from "./top-k.js";

/** Hits that one execution collects. */
export interface Collection {
  /** Null for the order of the traversal. */
  readonly order: HitOrder | null;
  /** Maximum number of hits to keep: offset + hits. */
  readonly keep: number;
  /** True if the search must continue after the page is full. */
  readonly isComplete: boolean;
  readonly countsNeighbors: boolean;
  /** Filters repeated heads; null to accept them. */
  readonly heads: HandleSet | null;
  /** Receives the heads of all hits; null if they are not needed. */
  readonly all?: HeadList | null;
  /** Hits up to this position are counted, but not kept; null to keep all. */
  readonly after?: PagePosition | null;
}

/** A thread runs one query at a time, so all share one buffer. */
const buffer = new HitBuffer();

export class HitCollector implements HitSink {
  readonly hits = buffer;
  /** Words of the arcs accepted, kept or not. */
  #words = 0;
  neighbors = 0;
  readonly countsNeighbors: boolean;
  readonly best: BestValues | null;
  readonly #keep: number;
  readonly #isComplete: boolean;
  readonly #heads: HandleSet | null;
  readonly #top: TopK | null;
  readonly #all: HeadList | null;
  /** True if hits are read that may not be kept. */
  readonly #readsAll: boolean;

  constructor(collection: Collection) {
    const { order, keep, isComplete, countsNeighbors, heads } = collection;
    const { all = null, after = null } = collection;
    buffer.clear();
    this.countsNeighbors = countsNeighbors;
    const isReadBeyond = heads !== null || all !== null || order?.isSelective === true;
    this.#readsAll = isReadBeyond || (order !== null && keep > 0);
    this.#keep = keep;
    this.#isComplete = isComplete || order !== null;
    this.#heads = heads;
    this.#top = order === null ? null : new TopK(buffer, order, keep, all, after);
    this.#all = all;
    this.best = isReadBeyond || after !== null || countsNeighbors ? null : findBest(order, keep);
  }

  get room(): number {
    // Repeated heads take no room.
    if (this.#isComplete || this.#heads !== null) return Number.POSITIVE_INFINITY;
    return this.#keep - buffer.length;
  }

  get isCountOnly(): boolean {
    return !this.#readsAll && buffer.length >= this.#keep;
  }

  /** Hits accepted, kept or not. */
  get arcs(): number {
    return this.#words / ARC_WORDS;
  }

  /** Sorted hits behind the position, kept or not. */
  get offered(): number {
    return this.#top?.offered ?? buffer.length;
  }

  take(batch: ArcBatch): boolean {
    if (this.#heads !== null) this.#dropRepeated(batch, this.#heads);
    const { from, end } = batch;
    if (this.#top !== null) this.#words += this.#top.offer(batch);
    else {
      this.#words += end - from;
      this.#all?.push(batch);
      const room = (this.#keep - buffer.length) * ARC_WORDS;
      buffer.push(batch, end - from > room ? from + room : end);
    }
    return this.#isComplete || buffer.length < this.#keep;
  }

  count(hits: number): void {
    this.#words += hits * ARC_WORDS;
    if (this.best !== null) this.#top!.offered += hits;
  }

  addNeighbors(count: number): void {
    this.neighbors += count;
  }

  /** Compacts the batch to arcs with new heads, at most as many as are accepted. */
  #dropRepeated(batch: ArcBatch, heads: HandleSet): void {
    const { words, from, end } = batch;
    const taken = this.#isComplete ? end : from + (this.#keep - buffer.length) * ARC_WORDS;
    let top = from;
    for (let arc = from; arc < end && top < taken; arc += ARC_WORDS) {
      if (heads.add(words[arc]!)) top = moveArc(words, arc, top);
    }
    batch.end = top;
  }

  /** Returns the slots of the kept hits in sort order; null if they are already in order. */
  slots(): Uint32Array | null {
    return this.#top === null ? null : this.#top.sorted();
  }
}

/** Returns the hits to keep if a few are sorted by value; else null. */
function findBest(order: HitOrder | null, keep: number): BestValues | null {
  const direction = order?.valueDirection ?? null;
  if (direction === null || keep === 0 || keep > MAX_BEST) return null;
  return { keep, isDescending: direction === "descending" };
}
