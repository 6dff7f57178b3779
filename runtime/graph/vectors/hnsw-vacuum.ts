// Removes deleted nodes from an HNSW index. A sweep replaces deleted nodes in all lists by the
// nearest of their neighbors, then frees the unreferenced slots. If the thread dies during the
// first step, nothing is freed, and the next builder starts over.

import type { HnswBuilder } from "./hnsw-builder.js";
import { HnswLinks } from "./hnsw-links.js";
import { LINKS_LOWEST, VectorIndex } from "./index-layout.js";
import { Slot, Space } from "./vector-layout.js";
import type { VectorTable } from "./vector-table.js";

/** Slots freed per mutation. */
const BATCH = 256;
/** Minimum number of deleted nodes for a sweep. */
const MIN_DEAD = 64;

export class HnswVacuum {
  readonly #table: VectorTable;
  readonly #builder: HnswBuilder;
  readonly #space: number;
  readonly #index: number;
  readonly #links: HnswLinks;
  readonly #neighbors = new Uint32Array(LINKS_LOWEST);
  readonly #deleted = new Set<number>();
  #entry = 0;
  #topLevel = -1;

  constructor(table: VectorTable, space: number, builder: HnswBuilder) {
    this.#table = table;
    this.#builder = builder;
    this.#space = space;
    this.#index = table.readSpace(space, Space.Index);
    this.#links = new HnswLinks(table.writer, table.readSpace(space, Space.Length));
  }

  /** True if more than a third of the nodes is deleted, or a sweep is unfinished. */
  get isDue(): boolean {
    if (this.#word(VectorIndex.Sweeping) !== 0) return true;
    const dead = this.#word(VectorIndex.Dead);
    return dead >= MIN_DEAD && dead * 3 > this.#word(VectorIndex.Nodes);
  }

  /** Sweeps the whole index, yielding after each node. */
  *run(): Generator<undefined, void, void> {
    this.#claim();
    for (const slot of this.#builder.slots((at, words) => words[at + Slot.Node] !== 0)) {
      if (this.#deleted.has(slot)) continue;
      this.#relink(slot);
      yield;
      if (this.#builder.isFinished) return;
    }
    yield* this.#freeSlots();
  }

  /** Claims all retired slots. Slots retired later wait for the next sweep. */
  #claim(): void {
    const { writer } = this.#table;
    const { memory } = writer;
    writer.mutate(() => {
      if (this.#builder.isFinished || this.#word(VectorIndex.Sweeping) !== 0) return;
      writer.put(memory.lists, this.#index + VectorIndex.Sweeping, this.#word(VectorIndex.Retired));
      writer.put(memory.lists, this.#index + VectorIndex.Retired, 0);
    });
    let slot = this.#word(VectorIndex.Sweeping);
    while (slot !== 0 && !this.#deleted.has(slot)) {
      this.#deleted.add(slot);
      slot = memory.vectors.words[slot + Slot.Scale]!;
    }
  }

  /** Replaces deleted nodes in the lists of a slot. */
  #relink(slot: number): void {
    const level = this.#links.levelOf(slot);
    if (level > this.#topLevel) {
      this.#topLevel = level;
      this.#entry = slot;
    }
    for (let layer = 0; layer <= level; layer++) {
      const candidates = this.#findReplacements(slot, layer);
      if (candidates === null) continue;
      const maxNeighbors = HnswLinks.maxNeighbors(layer);
      const count = this.#builder.selectNeighbors(slot, candidates, maxNeighbors, this.#neighbors);
      this.#table.writer.mutate(() => {
        if (!this.#builder.isFinished) this.#links.set(slot, layer, this.#neighbors, 0, count);
      });
    }
  }

  /** Returns candidates for the neighbors of a slot; null if none of them is deleted. */
  #findReplacements(slot: number, level: number): Uint32Array | null {
    const neighbors = this.#copy(slot, level);
    if (!neighbors.some((neighbor) => this.#deleted.has(neighbor))) return null;
    const candidates = new Set<number>();
    for (const neighbor of neighbors) {
      const replacements = this.#deleted.has(neighbor) ? this.#copy(neighbor, level) : [neighbor];
      for (const candidate of replacements)
        if (candidate !== slot && !this.#deleted.has(candidate)) candidates.add(candidate);
    }
    return Uint32Array.from(candidates);
  }

  #copy(slot: number, level: number): number[] {
    return Array.from(this.#neighbors.subarray(0, this.#links.copy(slot, level, this.#neighbors)));
  }

  /** Frees the claimed slots. A search that still visits them starts over, because of `Sweeps`. */
  *#freeSlots(): Generator<undefined, void, void> {
    const { writer } = this.#table;
    const { memory } = writer;
    writer.mutate(() => {
      if (this.#builder.isFinished) return;
      writer.add(memory.lists, this.#index + VectorIndex.Sweeps, 1);
      writer.put(memory.lists, this.#index + VectorIndex.TopLevel, Math.max(0, this.#topLevel));
      writer.put(memory.lists, this.#index + VectorIndex.EntrySlot, this.#entry);
    });
    for (let hasMore = true; hasMore; ) {
      hasMore = writer.mutate(() => {
        for (let count = 0; count < BATCH; count++) {
          const slot = this.#builder.isFinished ? 0 : this.#word(VectorIndex.Sweeping);
          if (slot === 0) return false;
          const next = memory.vectors.words[slot + Slot.Scale]!;
          writer.put(memory.lists, this.#index + VectorIndex.Sweeping, next);
          this.#links.remove(slot);
          writer.add(memory.lists, this.#index + VectorIndex.Nodes, -1);
          writer.add(memory.lists, this.#index + VectorIndex.Dead, -1);
          this.#table.freeSlot(slot, this.#space);
        }
        return true;
      });
      yield;
    }
  }

  #word(word: number): number {
    return this.#table.writer.memory.lists.words[this.#index + word]!;
  }
}
