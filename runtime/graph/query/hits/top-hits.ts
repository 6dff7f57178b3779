// Keeps the best hits of an order: a heap of slots with the worst kept hit on top, so that most
// candidates cost one comparison of numbers. Where all are wanted it only collects, and sorts once.

import { ARC_WORDS } from "../../memory/layout.js";
import type { HitBuffer } from "./hit-buffer.js";
import type { HitOrder } from "./hit-order.js";
import type { HitSideNumber } from "./hit-sink.js";

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

  offer(
    level: number,
    tail: number,
    head: number,
    word1: number,
    value: number,
    side: HitSideNumber,
  ): void {
    const key = this.#order.keyOf(head, word1, value);
    this.#offer(key, level, tail, head, word1, value, side);
  }

  #offer(
    key: number,
    level: number,
    tail: number,
    head: number,
    word1: number,
    value: number,
    side: HitSideNumber,
  ): void {
    const hits = this.#hits;
    if (this.#spare < 0) {
      if (hits.length < this.#keep) {
        hits.push(level, tail, head, word1, value, side);
        hits.keys[hits.length - 1] = key;
        return;
      }
      if (this.#keep === 0) return;
      this.#makeHeap();
    }
    if (key > this.#worst || (key === this.#worst && !this.#order.hasTexts)) return;
    const slot = this.#spare;
    hits.put(slot, level, tail, head, word1, value, side);
    hits.keys[slot] = key;
    if (!this.#isBefore(slot, this.#heap[0]!)) return;
    this.#spare = this.#heap[0]!;
    this.#heap[0] = slot;
    this.#siftDown(0);
    this.#worst = hits.keys[this.#heap[0]!]!;
  }

  /**
   * Offers the arcs of one tail, three words each. Once all places are taken, most arcs are worse
   * than the worst hit: those cost no more than their key.
   */
  offerRun(
    level: number,
    tail: number,
    arcs: Uint32Array,
    from: number,
    end: number,
    side: HitSideNumber,
  ): void {
    const order = this.#order;
    for (let arc = from; arc < end; arc += ARC_WORDS) {
      const head = arcs[arc]!;
      const word1 = arcs[arc + 1]!;
      const value = arcs[arc + 2]!;
      const key = order.keyOf(head, word1, value);
      if (this.#spare >= 0 && key > this.#worst) continue;
      this.#offer(key, level, tail, head, word1, value, side);
    }
  }

  /** Slots of the kept hits, best first. */
  sorted(): Uint32Array {
    const hits = this.#hits;
    const { keys } = hits;
    const order = this.#order;
    const slots =
      this.#spare < 0 ? Uint32Array.from({ length: hits.length }, (_, slot) => slot) : this.#heap;
    const compare = (a: number, b: number): number => {
      const difference = keys[a]! - keys[b]!;
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
    this.#spare = hits.length;
    hits.push(0, 0, 0, 0, 0, 0);
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
