// Searches an HNSW index: greedily through the upper layers, then best first on the lowest layer
// until no candidate is better than the worst result. The search lists the unvisited neighbors of a
// slot, and kernels score them and return the next slot.
//
// A search with a condition either walks through all slots and retains the accepted ones, or skips
// refused slots (ACORN-1): instead of a refused neighbor, it scores the neighbors of that neighbor.
// Then it compares only possible results with the probe, but tests the condition for more slots.
//
// A search takes no lock. Results are the slots at the time of the visit; callers re-read the
// vertices and compare the table's epoch before and after.

import type { GraphMemory } from "../memory/graph-memory.js";
import { HnswLinks } from "./hnsw-links.js";
import { HnswWalk, Mark } from "./hnsw-walk.js";
import { LINKS_LOWEST, MAX_LEVEL, VectorIndex } from "./index-layout.js";
import type { Probe } from "./probe.js";
import { computeStride, Slot, Space } from "./vector-layout.js";
import { MAX_LIST, type VectorMemory } from "./vector-memory.js";
import type { VectorTable } from "./vector-table.js";

/** Maximum stamp: visited slots are marked with the stamp of the search, one byte. */
const MAX_STAMP = 0xff;
/** Number of accepted slots expected among the first slots of a search that skips refused slots. */
const EXPECTED_ACCEPTED = 6;
const MAX_NEARBY = 128;
/** Minimum share of that number. Below it, the search fails. */
const MIN_EXPECTED_SHARE = 0.4;
/** Share of accepted slots above which half as many neighbors per slot suffice. */
const FREQUENT_SHARE = 0.2;

/** Mark of a slot that the condition has not tested yet. */
const UNKNOWN = -1;

/** Condition of a search. */
export interface SlotFilter {
  /** Returns whether a vertex may be a result. A search only passes through other vertices. */
  accepts(vertex: number): boolean;
  /** Identifies conditions that accept the same vertices; 0: unknown. */
  readonly serial: number;
}

export class HnswSearch {
  readonly links: HnswLinks;
  readonly walk: HnswWalk;
  readonly #graph: GraphMemory;
  readonly #memory: VectorMemory;
  /** Length word of the slots. */
  readonly #length: number;
  readonly #stride: number;
  /** Slots are at least a stride apart, so shifting them by these bits keeps them distinct. */
  readonly #shift: number;
  readonly #index: number;
  /** Offsets in the list, or slots; see the methods that use them. */
  readonly #near = new Uint32Array(MAX_NEARBY);
  /** Neighbors of a slot, and of a refused neighbor. */
  readonly #neighbors = new Uint32Array(LINKS_LOWEST);
  readonly #secondNeighbors = new Uint32Array(LINKS_LOWEST);
  readonly #verdicts = new SlotVerdicts();
  #seen = new Uint8Array(0);
  #stamp = MAX_STAMP;

  /** @param space space with an index */
  constructor(table: VectorTable, space: number) {
    this.#graph = table.writer.memory;
    this.#memory = table.memory;
    this.#length = table.readSpace(space, Space.Length);
    this.#stride = computeStride(this.#length);
    this.#shift = 31 - Math.clz32(this.#stride);
    this.#index = table.readSpace(space, Space.Index);
    this.links = new HnswLinks(table.writer, this.#length);
    this.walk = new HnswWalk(table, this.#length);
  }

  get topLevel(): number {
    return Math.min(MAX_LEVEL, this.#graph.lists.words[this.#index + VectorIndex.TopLevel]!);
  }

  get entry(): number {
    return this.#graph.lists.words[this.#index + VectorIndex.EntrySlot]!;
  }

  /**
   * Descends to a layer: returns the nearest slot of the layer above as entry slot; 0 if the index
   * is empty.
   */
  descend(probe: Probe, level: number): number {
    this.#graph.refresh();
    let slot = this.entry;
    if (this.links.levelOf(slot) < 0) return 0;
    for (let layer = this.topLevel; layer > level; layer--) {
      this.search(probe, slot, layer, 1, Mark.Any);
      this.walk.finish();
      slot = this.walk.slotAt(0);
    }
    return slot;
  }

  /**
   * Searches a layer for up to `ef` slots, which become the results of the walk.
   * @param mark `Any` also accepts slots without a vertex
   */
  search(probe: Probe, start: number, level: number, ef: number, mark: number = Mark.None): void {
    const { walk } = this;
    walk.begin(probe, ef);
    this.#begin();
    this.#visit(start);
    this.#memory.list[0] = this.#memory.addressOf(start) | mark;
    let slot = walk.step(probe, 1);
    while (slot !== 0) slot = walk.step(probe, this.#listNew(slot, level, mark));
  }

  /** Lists the unvisited neighbors of a slot; returns their number. */
  #listNew(slot: number, level: number, mark: number): number {
    const at = this.links.find(slot, level);
    if (at === 0) return 0;
    const { words } = this.links;
    const { list } = this.#memory;
    const seen = this.#seen;
    const stamp = this.#stamp;
    const shift = this.#shift;
    const first = this.#memory.addressOf(0) | mark;
    const last = this.links.lastSlot;
    const end = at + Math.min(words[at]!, HnswLinks.maxNeighbors(level));
    let count = 0;
    for (let word = at + 1; word <= end; word++) {
      const neighbor = words[word]!;
      if (neighbor === 0 || neighbor > last) continue;
      const index = neighbor >>> shift;
      // Writes every slot and overwrites visited ones: a branch would often be mispredicted.
      list[count] = first + (neighbor << 2);
      count += ((seen[index]! ^ stamp) + MAX_STAMP) >>> 8;
      seen[index] = stamp;
    }
    return count;
  }

  /**
   * Searches for up to `ef` accepted slots near the probe, which become the results of the walk.
   * @param filter null accepts any slot with a vertex
   */
  nearest(probe: Probe, ef: number, filter: SlotFilter | null): void {
    const start = this.#findEntry(probe);
    if (start === 0) return;
    if (filter === null) this.search(probe, start, 0, ef);
    else this.#searchFiltered(probe, start, ef, filter);
    this.walk.finish();
  }

  /** Returns the entry slot of the lowest layer; 0 if the index is empty, with an empty walk. */
  #findEntry(probe: Probe): number {
    const start = this.descend(probe, 0);
    if (start === 0) this.walk.begin(probe, 1);
    return start;
  }

  /** Variant of `search` for the lowest layer that passes through refused slots. */
  #searchFiltered(probe: Probe, start: number, ef: number, filter: SlotFilter): void {
    const { walk } = this;
    walk.begin(probe, ef);
    this.#begin();
    this.#verdicts.begin(filter, this.#seen.length);
    this.#visit(start);
    this.#memory.list[0] = this.#memory.addressOf(start);
    const isCheap = filter.serial !== 0;
    this.#markRefused(probe, 1, isCheap);
    for (let slot = walk.step(probe, 1); slot !== 0; ) {
      let count: number;
      if (isCheap) count = this.#listMarked(slot);
      else {
        count = this.#listNew(slot, 0, Mark.None);
        this.#markRefused(probe, count, false);
      }
      slot = walk.step(probe, count);
    }
  }

  /** Variant of `#listNew` for the lowest layer that marks refused slots. */
  #listMarked(slot: number): number {
    const at = this.links.find(slot, 0);
    if (at === 0) return 0;
    const { words } = this.links;
    const { list } = this.#memory;
    const near = this.#near;
    const seen = this.#seen;
    const stamp = this.#stamp;
    const { verdicts, stamp: currentStamp } = this.#verdicts;
    const shift = this.#shift;
    const first = this.#memory.addressOf(0);
    const last = this.links.lastSlot;
    const end = at + Math.min(words[at]!, LINKS_LOWEST);
    let count = 0;
    let unknown = 0;
    for (let word = at + 1; word <= end; word++) {
      const neighbor = words[word]!;
      if (neighbor === 0 || neighbor > last) continue;
      const index = neighbor >>> shift;
      const verdict = verdicts[index]!;
      // Without branches, as in `#listNew`. Slots without a verdict are marked later.
      list[count] = first + (neighbor << 2) + ((verdict & 1) ^ Mark.Refused);
      near[unknown] = count;
      const isNew = ((seen[index]! ^ stamp) + MAX_STAMP) >>> 8;
      count += isNew;
      unknown += isNew & (((verdict >>> 1) ^ currentStamp) !== 0 ? 1 : 0);
      seen[index] = stamp;
    }
    if (unknown > 0) this.#testUnknown(count, unknown);
    return count;
  }

  /**
   * Marks refused slots in the list.
   * @param isCheap whether to test all slots; else only those near enough to matter
   */
  #markRefused(probe: Probe, count: number, isCheap: boolean): void {
    const memory = this.#memory;
    const { list } = memory;
    const near = this.#near;
    const { threshold } = this.walk;
    const isTested = isCheap || threshold === Number.NEGATIVE_INFINITY;
    if (!isTested) probe.scoreList(this.#length, count);
    const scores = isTested ? null : memory.scores.slice(MAX_LIST, MAX_LIST + count);
    const first = memory.addressOf(0);
    const shift = this.#shift;
    const verdicts = this.#verdicts;
    let unknown = 0;
    for (let index = 0; index < count; index++) {
      const slot = (list[index]! - first) >>> 2;
      const mark = verdicts.markOf(slot >>> shift);
      if (mark !== UNKNOWN) list[index]! |= mark;
      else if (scores === null || !(scores[index]! <= threshold)) near[unknown++] = index;
    }
    if (unknown > 0) this.#testUnknown(count, unknown);
  }

  /**
   * Tests the listed slots whose offsets in the list are in `near`. The condition may use the list
   * and the probe of this thread, so the list is copied.
   */
  #testUnknown(count: number, unknown: number): void {
    const memory = this.#memory;
    const listed = memory.list.slice(0, count);
    for (let index = 0; index < unknown; index++) {
      const at = this.#near[index]!;
      const address = listed[at]! & ~Mark.Refused;
      listed[at] = address | (this.#accepts(memory.wordAt(address >>> 0)) ? 0 : Mark.Refused);
    }
    memory.list.set(listed);
  }

  /**
   * Variant of `nearest` that skips refused slots, for conditions that few vertices meet. Returns
   * false if vertices near the probe meet the condition far less often than others: then accepted
   * slots are too far apart to be connected.
   * @param share share of vertices that meet the condition
   */
  nearestSkipping(probe: Probe, ef: number, filter: SlotFilter, share: number): boolean {
    const start = this.#findEntry(probe);
    if (start === 0) return true;
    const { walk } = this;
    const nearby = Math.min(MAX_NEARBY, Math.ceil(EXPECTED_ACCEPTED / share));
    this.search(probe, start, 0, nearby, Mark.Any);
    walk.finish();
    const starts = walk.slots();
    walk.begin(probe, ef);
    this.#begin();
    this.#verdicts.begin(filter, this.#seen.length);
    for (const [index, near] of starts.entries()) {
      this.#visit(near);
      this.#memory.list[index] = this.#memory.addressOf(near);
    }
    this.#markRefused(probe, starts.length, true);
    let slot = walk.step(probe, starts.length);
    if (walk.count < starts.length * share * MIN_EXPECTED_SHARE) return false;
    const minReached = share < FREQUENT_SHARE ? LINKS_LOWEST : LINKS_LOWEST / 2;
    while (slot !== 0) slot = walk.step(probe, this.#listAccepted(slot, minReached));
    walk.finish();
    return true;
  }

  #accepts(slot: number): boolean {
    return this.#verdicts.accepts(slot >>> this.#shift, slot, this.#memory.words);
  }

  /**
   * Lists the new accepted neighbors of a slot, then those of its refused neighbors until enough
   * are found; returns the number of new slots.
   */
  #listAccepted(slot: number, minReached: number): number {
    const near = this.#near;
    const neighbors = this.#neighbors;
    const secondNeighbors = this.#secondNeighbors;
    const copied = this.links.copy(slot, 0, neighbors);
    let count = 0;
    let refused = 0;
    let reached = 0;
    for (let index = 0; index < copied; index++) {
      const neighbor = neighbors[index]!;
      if (!this.#accepts(neighbor)) neighbors[refused++] = neighbor;
      else {
        reached++;
        if (this.#visit(neighbor)) near[count++] = neighbor;
      }
    }
    for (let index = 0; index < refused && reached < minReached; index++) {
      if (!this.#visit(neighbors[index]!)) continue;
      const secondCount = this.links.copy(neighbors[index]!, 0, secondNeighbors);
      for (let at = 0; at < secondCount && count < LINKS_LOWEST; at++) {
        const neighbor = secondNeighbors[at]!;
        if (!this.#accepts(neighbor)) continue;
        reached++;
        if (this.#visit(neighbor)) near[count++] = neighbor;
      }
    }
    const { list } = this.#memory;
    const first = this.#memory.addressOf(0);
    for (let index = 0; index < count; index++) list[index] = first + near[index]! * 4;
    return count;
  }

  /** Starts a search: marks all slots as not visited. */
  #begin(): void {
    const size = (this.#memory.words.length >>> this.#shift) + 1;
    if (size > this.#seen.length) {
      this.#seen = new Uint8Array(Math.ceil(size * 1.25));
      this.#stamp = 0;
    } else if (this.#stamp === MAX_STAMP) {
      this.#seen.fill(0);
      this.#stamp = 0;
    }
    this.#stamp++;
  }

  #visit(slot: number): boolean {
    const index = slot >>> this.#shift;
    if (this.#seen[index] === this.#stamp) return false;
    this.#seen[index] = this.#stamp;
    return true;
  }
}

/** Caches the verdicts of a condition by slot, because a walk meets most slots many times. */
class SlotVerdicts {
  /** By slot: twice the stamp, plus 1 if accepted. */
  verdicts = new Uint8Array(0);
  /** Stamp of this search. Verdicts with other stamps are ignored. */
  stamp = 0;
  #filter: SlotFilter = { accepts: () => false, serial: 0 };

  /** Starts a search; reuses the verdicts of the last one if the filter is the same. */
  begin(filter: SlotFilter, positions: number): void {
    const isSame = filter.serial !== 0 && filter.serial === this.#filter.serial;
    this.#filter = filter;
    if (isSame && positions <= this.verdicts.length) return;
    if (positions > this.verdicts.length || this.stamp === MAX_STAMP >>> 1) {
      this.verdicts = new Uint8Array(positions);
      this.stamp = 0;
    }
    this.stamp++;
  }

  /** Returns the mark of a slot; `UNKNOWN` if it has not been tested. */
  markOf(position: number): number {
    const verdict = this.verdicts[position]!;
    if (verdict >>> 1 !== this.stamp) return UNKNOWN;
    // `Mark.Refused` unless accepted, without a branch, which would often be mispredicted.
    return (verdict & 1) ^ Mark.Refused;
  }

  accepts(position: number, slot: number, words: Uint32Array): boolean {
    const verdict = this.verdicts[position]!;
    if (verdict >>> 1 === this.stamp) return (verdict & 1) === 1;
    const vertex = words[slot + Slot.Vertex]!;
    const isAccepted = vertex !== 0 && this.#filter.accepts(vertex);
    this.verdicts[position] = (this.stamp << 1) | Number(isAccepted);
    return isAccepted;
  }
}
