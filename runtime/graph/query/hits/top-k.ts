// Top-k of a sort order: a heap of slots with the worst kept hit on top, so most candidates cost
// one numeric comparison. If all hits are wanted, it only collects, and heap-sorts once.

import { ARC_WORDS } from "../../memory/layout.js";
import { GatheredHits } from "./gathered-hits.js";
import type { HeadList } from "./head-list.js";
import type { HitBuffer } from "./hit-buffer.js";
import type { HitOrder } from "./hit-order.js";
import type { ArcBatch } from "./hit-sink.js";
import type { PagePosition } from "./page-position.js";

/** Arcs whose keys are computed at once, sized for the L1 cache. */
const MAX_KEYS = 256;
/** Keys of the current arcs; a thread runs one query at a time. */
const keys = new Float64Array(MAX_KEYS);
/** Hits whose keys are not computed yet. */
const gathered = new GatheredHits(MAX_KEYS);
const NO_SLOTS = new Uint32Array(0);

export class TopK {
  readonly #hits: HitBuffer;
  readonly #order: HitOrder;
  readonly #keep: number;
  readonly #all: HeadList | null;
  readonly #after: PagePosition | null;
  /** Hits behind the position, kept or not. */
  offered = 0;
  /** Slots of the kept hits; empty until there are more hits than are kept. */
  #heap = NO_SLOTS;
  /** Number of the hit in each slot, once slots are used again. */
  #numbers = NO_SLOTS;
  /** Slot for the next candidate; -1 until the heap is full. */
  #spare = -1;
  #next = 0;
  /** Key of the worst kept hit, once the heap is full. */
  #worst = 0;
  /** True to compute the keys of hits of different tails at once. */
  readonly #gathers: boolean;

  /**
   * @param keep maximum number of hits to keep; Infinity for all
   * @param all receives the heads of all hits, kept or not
   * @param after hits up to this position are not kept
   */
  constructor(
    hits: HitBuffer,
    order: HitOrder,
    keep: number,
    all: HeadList | null = null,
    after: PagePosition | null = null,
  ) {
    this.#after = after;
    this.#hits = hits;
    this.#order = order;
    this.#keep = keep;
    this.#all = all;
    // Positions compare the tails of hits, too.
    this.#gathers = order.needsVectors && after === null;
    // A failed query may have left hits behind.
    if (this.#gathers) gathered.clear();
  }

  /** Offers all arcs of a batch; returns how many words of them are hits. */
  offer(batch: ArcBatch): number {
    const { end } = batch;
    if (this.#gathers && this.#gather(batch)) return end - batch.from;
    let taken = 0;
    for (let { from } = batch; from < end; from += MAX_KEYS * ARC_WORDS) {
      batch.from = from;
      batch.end = Math.min(from + MAX_KEYS * ARC_WORDS, end);
      let best = this.#order.computeKeys(batch, keys);
      // Once the heap is full, most batches have no better arc than the worst kept.
      taken += batch.end - from;
      this.#all?.push(batch);
      if (this.#after !== null) best = this.#after.filter(batch, keys);
      this.offered += batch.length;
      if (this.#spare < 0 || best <= this.#worst) this.#offer(batch, 0);
    }
    return taken;
  }

  /** Appends a batch to those whose keys are computed later; false if there is no room. */
  #gather(batch: ArcBatch): boolean {
    const words = batch.end - batch.from;
    if (!gathered.hasRoom(words)) this.#offerGathered();
    if (!gathered.hasRoom(words)) return false;
    gathered.push(batch);
    return true;
  }

  #offerGathered(): void {
    if (gathered.isEmpty) return;
    gathered.selectAll();
    const { batch } = gathered;
    const best = this.#order.computeKeys(batch, keys);
    this.#all?.push(batch);
    this.offered += batch.length;
    if (this.#spare < 0 || best <= this.#worst) {
      gathered.eachPart((part) => this.#offer(part, part.from / ARC_WORDS));
    }
    gathered.clear();
  }

  /** @param firstKey place of the key of the first arc */
  #offer(batch: ArcBatch, firstKey: number): void {
    const { hasTexts } = this.#order;
    const first = this.#spare < 0 ? this.#fill(batch, firstKey) : 0;
    const { length } = batch;
    let worst = this.#worst;
    for (let index = first; index < length; index++) {
      const key = keys[firstKey + index]!;
      if (key > worst || (key === worst && !hasTexts)) continue;
      this.#replaceWorst(batch, index, key);
      worst = this.#worst;
    }
  }

  /** Keeps arcs until the heap is full; returns the index of the first arc left. */
  #fill(batch: ArcBatch, firstKey: number): number {
    const hits = this.#hits;
    const first = hits.length;
    const { length } = batch;
    const count = Math.min(length, this.#keep - first);
    hits.push(batch, batch.from + count * ARC_WORDS);
    for (let index = 0; index < count; index++) hits.keys[first + index] = keys[firstKey + index]!;
    if (count === length || this.#keep === 0) return length;
    this.#makeHeap();
    this.#spare = hits.addSlot();
    this.#numbers = new Uint32Array(hits.length);
    for (let slot = 0; slot < this.#spare; slot++) this.#numbers[slot] = slot;
    this.#next = this.#spare;
    this.#worst = hits.keys[this.#heap[0]!]!;
    return count;
  }

  #replaceWorst(batch: ArcBatch, index: number, key: number): void {
    const hits = this.#hits;
    const slot = this.#spare;
    hits.put(slot, batch, batch.from + index * ARC_WORDS);
    hits.keys[slot] = key;
    this.#numbers[slot] = this.#next++;
    if (!this.#isBefore(key, slot, this.#worst, this.#heap[0]!)) return;
    this.#spare = this.#heap[0]!;
    this.#siftDown(0, slot, this.#heap.length);
    this.#worst = hits.keys[this.#heap[0]!]!;
  }

  /** Returns the slots of the kept hits, best first. No hit may be offered afterwards. */
  sorted(): Uint32Array {
    if (this.#gathers) this.#offerGathered();
    if (this.#spare < 0) this.#makeHeap();
    const heap = this.#heap;
    for (let last = heap.length - 1; last > 0; last--) {
      const slot = heap[last]!;
      heap[last] = heap[0]!;
      this.#siftDown(0, slot, last);
    }
    return heap;
  }

  #makeHeap(): void {
    const hits = this.#hits;
    const heap = new Uint32Array(hits.length);
    for (let slot = 0; slot < heap.length; slot++) heap[slot] = slot;
    this.#heap = heap;
    for (let at = (heap.length >>> 1) - 1; at >= 0; at--)
      this.#siftDown(at, heap[at]!, heap.length);
  }

  /** Sifts a slot down within the first `end` positions of the heap. */
  #siftDown(from: number, slot: number, end: number): void {
    const heap = this.#heap;
    const { keys } = this.#hits;
    const key = keys[slot]!;
    let at = from;
    for (let child = 2 * at + 1; child < end; child = 2 * at + 1) {
      let worst = heap[child]!;
      let worstKey = keys[worst]!;
      if (child + 1 < end) {
        const other = heap[child + 1]!;
        const otherKey = keys[other]!;
        if (this.#isBefore(worstKey, worst, otherKey, other)) {
          child++;
          worst = other;
          worstKey = otherKey;
        }
      }
      if (!this.#isBefore(key, slot, worstKey, worst)) break;
      heap[at] = worst;
      at = child;
    }
    heap[at] = slot;
  }

  /**
   * Compares two slots by key. On ties the hit that was found earlier is better, whatever the
   * number of kept hits: pages by `offset` have no entry twice.
   */
  #isBefore(key: number, slot: number, otherKey: number, other: number): boolean {
    if (key !== otherKey) return key < otherKey;
    const order = this.#order;
    const texts = order.hasTexts ? order.compareTexts(this.#hits, slot, other) : 0;
    if (texts !== 0) return texts < 0;
    const numbers = this.#numbers;
    return numbers.length === 0 ? slot < other : numbers[slot]! < numbers[other]!;
  }
}
