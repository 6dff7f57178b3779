// Top-k: keeps the best hits of an order in a heap of slots with the worst kept hit on top, so that
// most candidates cost one comparison of numbers. Where all are wanted it only collects, and sorts
// once.

import { ARC_WORDS } from "../../memory/layout.js";
import type { HitBuffer } from "./hit-buffer.js";
import type { HitOrder } from "./hit-order.js";
import type { ArcBatch } from "./hit-sink.js";

/** Arcs whose keys are computed at once: they stay in the nearest cache. */
const MAX_KEYS = 256;
/** Keys of the arcs that are being offered; a thread runs one query at a time. */
const keys = new Float64Array(MAX_KEYS);

export class TopHits {
  readonly #hits: HitBuffer;
  readonly #order: HitOrder;
  readonly #keep: number;
  /** Slots of the kept hits; empty before there are more hits than are kept. */
  #heap = new Uint32Array(0);
  /** Slot that a candidate is written to before it is compared; -1 as long as all are kept. */
  #spare = -1;
  /** Key of the worst kept hit, once there is a heap. */
  #worst = 0;

  /** @param keep how many to keep; Infinity for all */
  constructor(hits: HitBuffer, order: HitOrder, keep: number) {
    this.#hits = hits;
    this.#order = order;
    this.#keep = keep;
  }

  /** Offers all arcs of a batch; returns how many words of them are hits. */
  offer(batch: ArcBatch): number {
    const { end } = batch;
    let taken = 0;
    for (let { from } = batch; from < end; from += MAX_KEYS * ARC_WORDS) {
      batch.from = from;
      batch.end = Math.min(from + MAX_KEYS * ARC_WORDS, end);
      const best = this.#order.keysOf(batch, keys);
      // Once all places are taken, most arcs are worse than the worst hit.
      taken += batch.end - from;
      if (this.#spare < 0 || best <= this.#worst) this.#offer(batch);
    }
    return taken;
  }

  #offer(batch: ArcBatch): void {
    const { hasTexts } = this.#order;
    const first = this.#spare < 0 ? this.#fill(batch) : 0;
    const { length } = batch;
    let worst = this.#worst;
    for (let index = first; index < length; index++) {
      const key = keys[index]!;
      if (key > worst || (key === worst && !hasTexts)) continue;
      this.#replaceWorst(batch, index, key);
      worst = this.#worst;
    }
  }

  /** Keeps arcs as long as there are places; returns the index of the first that finds none. */
  #fill(batch: ArcBatch): number {
    const hits = this.#hits;
    const first = hits.length;
    const { length } = batch;
    const count = Math.min(length, this.#keep - first);
    hits.push(batch, batch.from + count * ARC_WORDS);
    for (let index = 0; index < count; index++) hits.keys[first + index] = keys[index]!;
    if (count === length || this.#keep === 0) return length;
    this.#makeHeap();
    return count;
  }

  #replaceWorst(batch: ArcBatch, index: number, key: number): void {
    const hits = this.#hits;
    const slot = this.#spare;
    hits.put(slot, batch, batch.from + index * ARC_WORDS);
    hits.keys[slot] = key;
    if (!this.#isBefore(slot, this.#heap[0]!)) return;
    this.#spare = this.#heap[0]!;
    this.#heap[0] = slot;
    this.#siftDown(0);
    this.#worst = hits.keys[this.#heap[0]!]!;
  }

  /** Slots of the kept hits, best first. */
  sorted(): Uint32Array {
    const hits = this.#hits;
    const order = this.#order;
    const slots =
      this.#spare < 0 ? Uint32Array.from({ length: hits.length }, (_, slot) => slot) : this.#heap;
    const compare = (a: number, b: number): number => {
      const difference = hits.keys[a]! - hits.keys[b]!;
      if (difference !== 0 && !Number.isNaN(difference)) return difference;
      return order.hasTexts ? order.compareTexts(hits, a, b) : a - b;
    };
    return slots.sort(compare);
  }

  #makeHeap(): void {
    const hits = this.#hits;
    const heap = new Uint32Array(hits.length);
    for (let slot = 0; slot < heap.length; slot++) heap[slot] = slot;
    this.#heap = heap;
    for (let at = (heap.length >>> 1) - 1; at >= 0; at--) this.#siftDown(at);
    this.#spare = hits.addSlot();
    this.#worst = hits.keys[heap[0]!]!;
  }

  #siftDown(from: number): void {
    const heap = this.#heap;
    const slot = heap[from]!;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && this.#isBefore(heap[child]!, heap[child + 1]!)) child++;
      if (!this.#isBefore(slot, heap[child]!)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = slot;
  }

  #isBefore(a: number, b: number): boolean {
    const { keys } = this.#hits;
    const first = keys[a]!;
    const second = keys[b]!;
    if (first !== second) return first < second;
    return this.#order.hasTexts && this.#order.compareTexts(this.#hits, a, b) < 0;
  }
}
