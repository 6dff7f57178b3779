// Searches an HNSW index: greedily through the upper layers, then best first on the lowest until no
// candidate is better than the worst result. Unvisited neighbors are scored in one kernel call.
//
// With a condition, a search either walks through all slots and keeps accepted ones, or walks
// over refused ones (ACORN-1): instead of a refused neighbor, it scores the neighbors of that one.
// Then only possible results cost a comparison, and more slots are tested.
//
// Lock-free. Results are slots as they were when visited; callers re-read the vertices and compare
// the table's epoch before and after.

import { ScoredHeap } from "../../base/scored-heap.js";
import type { GraphMemory } from "../memory/graph-memory.js";
import { HnswLinks } from "./hnsw-links.js";
import { LINKS_LOWEST, MAX_LEVEL, VectorIndex } from "./index-layout.js";
import type { Probe } from "./probe.js";
import { computeStride, Slot, Space } from "./vector-layout.js";
import { MAX_LIST, type VectorMemory } from "./vector-memory.js";
import type { VectorTable } from "./vector-table.js";

/** Minimum words of a slot that are worth prefetching: 128 components. */
const TOUCH_WORDS = 40;
const MAX_STAMP = 0xffff;
/** Number of accepted slots expected among the first slots of a walk over refused ones. */
const EXPECTED = 6;
const MAX_NEARBY = 128;
/** Part of the expected number that must be there. */
const LEAST_PART = 0.4;
/** Above this share of accepted slots, half as many neighbors of a slot suffice. */
const FREQUENT = 0.2;

/** Condition of a search. */
export interface SlotFilter {
  /** Returns whether a vertex may be a result; others are only passed. */
  accepts(vertex: number): boolean;
  /** Equal for searches that accept the same vertices; 0: unknown. */
  readonly serial: number;
}

export class HnswSearch {
  readonly links: HnswLinks;
  /** Results of the last search, worst first. */
  readonly results = new ScoredHeap("lowest");
  readonly #candidates = new ScoredHeap("highest");
  readonly #graph: GraphMemory;
  readonly #memory: VectorMemory;
  /** Length word of the slots. */
  readonly #length: number;
  readonly #stride: number;
  readonly #index: number;
  readonly #near = new Uint32Array(LINKS_LOWEST);
  /** Neighbors of a slot, and of a refused one. */
  readonly #ring = new Uint32Array(LINKS_LOWEST);
  readonly #behind = new Uint32Array(LINKS_LOWEST);
  readonly #verdicts = new SlotVerdicts();
  readonly #scores = new Float32Array(LINKS_LOWEST);
  #seen = new Uint16Array(0);
  #stamp = MAX_STAMP;

  /** @param space one that has an index */
  constructor(table: VectorTable, space: number) {
    this.#graph = table.writer.memory;
    this.#memory = table.memory;
    this.#length = table.readSpace(space, Space.Length);
    this.#stride = computeStride(this.#length);
    this.#index = table.readSpace(space, Space.Index);
    this.links = new HnswLinks(table.writer, this.#length);
  }

  get topLevel(): number {
    return Math.min(MAX_LEVEL, this.#graph.lists.words[this.#index + VectorIndex.TopLevel]!);
  }

  get entry(): number {
    return this.#graph.lists.words[this.#index + VectorIndex.EntrySlot]!;
  }

  /** Returns the scores of at most `LINKS_LOWEST` slots; valid until the next call. */
  scoresOf(probe: Probe, slots: Uint32Array, count: number): Float32Array {
    const memory = this.#memory;
    const { list, lists } = memory;
    // An index is built and searched once kernels can address the vectors.
    const kernel = memory.kernel!;
    probe.load(this.#length);
    for (let index = 0; index < count; index++) list[index] = memory.addressOf(slots[index]!);
    const bytes = this.#stride * 4;
    if (this.#stride >= TOUCH_WORDS) kernel.touch(lists, count, bytes);
    probe.measure.scoreSlots(memory, count, probe.terms(this.#length), lists + MAX_LIST * 4);
    for (let index = 0; index < count; index++) {
      this.#scores[index] = memory.scores[MAX_LIST + index]!;
    }
    return this.#scores;
  }

  /**
   * Returns the entry slot of a layer: the nearest one found on the layer above; 0 if there is
   * none.
   */
  descend(probe: Probe, level: number): number {
    this.#graph.refresh();
    let slot = this.entry;
    if (this.links.levelOf(slot) < 0) return 0;
    this.#near[0] = slot;
    let best = this.scoresOf(probe, this.#near, 1)[0]!;
    for (let layer = this.topLevel; layer > level; layer--) {
      for (let isBetter = true; isBetter; ) {
        isBetter = false;
        const count = this.links.copy(slot, layer, this.#near);
        const scores = this.scoresOf(probe, this.#near, count);
        for (let index = 0; index < count; index++) {
          if (scores[index]! <= best) continue;
          best = scores[index]!;
          slot = this.#near[index]!;
          isBetter = true;
        }
      }
    }
    return slot;
  }

  /**
   * Searches a layer; leaves up to `ef` slots in `results`.
   * @param accepts whether a slot may be a result; others are only passed through
   */
  search(
    probe: Probe,
    start: number,
    level: number,
    ef: number,
    accepts: (slot: number) => boolean,
  ): void {
    const { results } = this;
    const candidates = this.#candidates;
    const near = this.#near;
    results.clear();
    candidates.clear();
    this.#begin();
    near[0] = start;
    this.#isNew(start);
    let count = 1;
    for (;;) {
      const scores = this.scoresOf(probe, near, count);
      for (let index = 0; index < count; index++) {
        const score = scores[index]!;
        if (results.count >= ef && score <= results.first) continue;
        const slot = near[index]!;
        candidates.push(slot, score);
        if (!accepts(slot)) continue;
        if (results.count < ef) results.push(slot, score);
        else results.replaceTop(slot, score);
      }
      do {
        if (candidates.count === 0) return;
        if (results.count >= ef && candidates.first < results.first) return;
        const copied = this.links.copy(candidates.pop(), level, near);
        count = 0;
        for (let index = 0; index < copied; index++) {
          if (this.#isNew(near[index]!)) near[count++] = near[index]!;
        }
      } while (count === 0);
    }
  }

  /** Returns up to `ef` accepted vertices near a probe vector. */
  nearest(probe: Probe, ef: number, filter: SlotFilter): Uint32Array {
    const start = this.descend(probe, 0);
    if (start === 0) return new Uint32Array(0);
    this.search(probe, start, 0, ef, (slot) => {
      const vertex = this.vertexOf(slot);
      return vertex !== 0 && filter.accepts(vertex);
    });
    return this.#vertices();
  }

  /**
   * As `nearest`, for conditions that a minority of the vertices meets. Returns null if those near
   * the probe meet it far less often than others: then accepted ones are too far apart to lead from
   * one to the next.
   */
  nearestOver(probe: Probe, ef: number, filter: SlotFilter, share: number): Uint32Array | null {
    const start = this.descend(probe, 0);
    if (start === 0) return new Uint32Array(0);
    const { results } = this;
    const candidates = this.#candidates;
    const nearby = Math.min(MAX_NEARBY, Math.ceil(EXPECTED / share));
    this.search(probe, start, 0, nearby, () => true);
    const starts = results.items.slice(0, results.count);
    results.clear();
    candidates.clear();
    this.#begin();
    this.#verdicts.begin(filter, this.#seen.length);
    for (let from = 0; from < starts.length; from += LINKS_LOWEST) {
      const some = starts.subarray(from, from + LINKS_LOWEST);
      for (const slot of some) this.#isNew(slot);
      this.#near.set(some);
      this.#offer(probe, some.length, ef);
    }
    if (results.count < starts.length * share * LEAST_PART) return null;
    const enough = share < FREQUENT ? LINKS_LOWEST : LINKS_LOWEST / 2;
    while (candidates.count > 0) {
      if (results.count >= ef && candidates.first < results.first) break;
      const count = this.#collectAccepted(candidates.pop(), enough);
      if (count > 0) this.#offer(probe, count, ef);
    }
    return this.#vertices();
  }

  #vertices(): Uint32Array {
    const { items, count } = this.results;
    return items.slice(0, count).map((slot) => this.vertexOf(slot));
  }

  #accepts(slot: number): boolean {
    const verdicts = this.#verdicts;
    return verdicts.accepts(Math.floor(slot / this.#stride), slot, this.#memory.words);
  }

  /** Scores the slots in `near`; accepted ones may be results. */
  #offer(probe: Probe, count: number, ef: number): void {
    const { results } = this;
    const near = this.#near;
    const scores = this.scoresOf(probe, near, count);
    for (let index = 0; index < count; index++) {
      const score = scores[index]!;
      if (results.count >= ef && score <= results.first) continue;
      const slot = near[index]!;
      this.#candidates.push(slot, score);
      if (!this.#accepts(slot)) continue;
      if (results.count < ef) results.push(slot, score);
      else results.replaceTop(slot, score);
    }
  }

  /**
   * Copies the new accepted neighbors of a slot to `near`, and of refused neighbors theirs, until
   * there are enough; returns the number of new ones.
   */
  #collectAccepted(slot: number, enough: number): number {
    const near = this.#near;
    const ring = this.#ring;
    const behind = this.#behind;
    const copied = this.links.copy(slot, 0, ring);
    let count = 0;
    let refused = 0;
    let reached = 0;
    for (let index = 0; index < copied; index++) {
      const neighbor = ring[index]!;
      if (!this.#accepts(neighbor)) ring[refused++] = neighbor;
      else {
        reached++;
        if (this.#isNew(neighbor)) near[count++] = neighbor;
      }
    }
    for (let index = 0; index < refused && reached < enough; index++) {
      if (!this.#isNew(ring[index]!)) continue;
      const found = this.links.copy(ring[index]!, 0, behind);
      for (let at = 0; at < found && count < LINKS_LOWEST; at++) {
        const neighbor = behind[at]!;
        if (!this.#accepts(neighbor)) continue;
        reached++;
        if (this.#isNew(neighbor)) near[count++] = neighbor;
      }
    }
    return count;
  }

  /** Returns the vertex of a slot; 0 for none. */
  vertexOf(slot: number): number {
    return this.#memory.words[slot + Slot.Vertex]!;
  }

  /** Starts a search: no slot is visited. */
  #begin(): void {
    const places = Math.ceil(this.#memory.words.length / this.#stride) + 1;
    if (places > this.#seen.length) {
      this.#seen = new Uint16Array(Math.ceil(places * 1.25));
      this.#stamp = 0;
    } else if (this.#stamp === MAX_STAMP) {
      this.#seen.fill(0);
      this.#stamp = 0;
    }
    this.#stamp++;
  }

  /** Slots are at least a stride apart, so no two share a position. */
  #isNew(slot: number): boolean {
    const place = Math.floor(slot / this.#stride);
    if (this.#seen[place] === this.#stamp) return false;
    this.#seen[place] = this.#stamp;
    return true;
  }
}

/** Which slots a condition accepts, by their position: a walk meets most of them many times. */
class SlotVerdicts {
  /** Twice the stamp, plus 1 if accepted. */
  #verdicts = new Uint16Array(0);
  #stamp = 0;
  #filter: SlotFilter = { accepts: () => false, serial: 0 };

  /** Keeps the verdicts of the last search if the filter is the same. */
  begin(filter: SlotFilter, places: number): void {
    const isSame = filter.serial !== 0 && filter.serial === this.#filter.serial;
    this.#filter = filter;
    if (isSame && places <= this.#verdicts.length) return;
    if (places > this.#verdicts.length || this.#stamp === MAX_STAMP >>> 1) {
      this.#verdicts = new Uint16Array(places);
      this.#stamp = 0;
    }
    this.#stamp++;
  }

  accepts(place: number, slot: number, words: Uint32Array): boolean {
    const known = this.#verdicts[place]!;
    if (known >>> 1 === this.#stamp) return (known & 1) === 1;
    const vertex = words[slot + Slot.Vertex]!;
    const isAccepted = vertex !== 0 && this.#filter.accepts(vertex);
    this.#verdicts[place] = (this.#stamp << 1) | Number(isAccepted);
    return isAccepted;
  }
}
