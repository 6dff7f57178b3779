// Sink of nested neighborhoods: stores all arcs as a tree. A traversal delivers deeper arcs before
// the arc that led to them, so arcs received since the last arc of a level are children of the next
// arc of this level, unless they were followed from an arc that was then rejected.

import { SearchError } from "../../model/errors.js";
import { HitBuffer } from "./hit-buffer.js";
import type { HitOrder } from "./hit-order.js";
import type { ArcBatch, HitSink } from "./hit-sink.js";

const NONE: readonly number[] = [];
/** Limit of about 100 MB: each level can multiply the arcs of the one above. */
const MAX_ARCS = 1_000_000;

export class HitTree implements HitSink {
  readonly room = Number.POSITIVE_INFINITY;
  readonly isCountOnly = false;
  readonly countsNeighbors: boolean;
  readonly hits = new HitBuffer();
  neighbors = 0;
  readonly #order: HitOrder | null;
  readonly #children = new Map<number, readonly number[]>();
  /** Slots by level that have no parent yet. */
  readonly #pending: number[][] = [];
  /** By slot: word 1 and side of the previous arc. */
  readonly #before: [word1: number, side: number][] = [];

  /** @param order of each list; null for the order of the traversal */
  constructor(order: HitOrder | null, countsNeighbors: boolean) {
    this.#order = order;
    this.countsNeighbors = countsNeighbors;
  }

  /** @throws SearchError too many arcs */
  take(batch: ArcBatch): boolean {
    const { hits } = this;
    const first = hits.length;
    if (first + batch.length > MAX_ARCS) {
      throw new SearchError(`a nested result has more than ${MAX_ARCS} arcs: filter, or nest less`);
    }
    const keys = new Float64Array(batch.length);
    // Hits that the order drops leave the batch.
    this.#order?.computeKeys(batch, keys);
    hits.push(batch, batch.end);
    const below = this.#pending[batch.level + 1] ?? NONE;
    if (below.length > 0) this.#pending[batch.level + 1] = [];
    const before: [number, number] = [batch.prevWord1, batch.prevSide];
    for (let slot = first; slot < hits.length; slot++) {
      this.#before.push(before);
      hits.keys[slot] = keys[slot - first]!;
      this.#level(batch.level).push(slot);
      const children = below.filter((child) => this.#isBelow(child, slot));
      if (children.length > 0) this.#children.set(slot, children);
    }
    return true;
  }

  count(): void {}

  addNeighbors(count: number): void {
    this.neighbors += count;
  }

  /** Returns the slots of the first level in sort order. */
  roots(): readonly number[] {
    return this.#sorted(this.#level(1));
  }

  /** Returns the slots of the arcs followed from the head of an arc. */
  childrenOf(slot: number): readonly number[] {
    return this.#sorted(this.#children.get(slot) ?? NONE);
  }

  /** Parallel arcs to one head differ by relationship, modifier or side. */
  #isBelow(child: number, slot: number): boolean {
    const { hits } = this;
    if (hits.tailOf(child) !== hits.headOf(slot)) return false;
    const [word1, side] = this.#before[child]!;
    return word1 === hits.word1Of(slot) && side === hits.sideOf(slot);
  }

  #level(level: number): number[] {
    const slots = this.#pending[level] ?? [];
    this.#pending[level] = slots;
    return slots;
  }

  #sorted(slots: readonly number[]): readonly number[] {
    const order = this.#order;
    if (order === null) return slots;
    const { keys } = this.hits;
    return slots.toSorted((a, b) => {
      const difference = keys[a]! - keys[b]!;
      // The difference of two infinite keys is NaN.
      if (difference !== 0 && !Number.isNaN(difference)) return difference;
      return order.hasTexts ? order.compareTexts(this.hits, a, b) : 0;
    });
  }
}
