// Rids an index of slots that no vertex has any more. Whoever knew one of them gets to know, in its
// place, the nearest of those that it led to; when nobody names them they are given back. A builder
// that dies in between has taken nothing away: the next one begins again.

import type { GraphStore } from "../store/graph-store.js";
import { type HnswBuilder, nearestFirst } from "./hnsw-builder.js";
import { HnswLinks } from "./hnsw-links.js";
import { LINKS_LOWEST, VectorIndex } from "./index-layout.js";
import { Slot, Space } from "./vector-layout.js";

/** Slots that are given back in one mutation. */
const BATCH = 256;
/** Fewer dead ones are left where they are. */
const LEAST_DEAD = 64;

export class HnswSweep {
  readonly #store: GraphStore;
  readonly #builder: HnswBuilder;
  readonly #space: number;
  readonly #index: number;
  readonly #links: HnswLinks;
  readonly #near = new Uint32Array(LINKS_LOWEST);
  readonly #gone = new Set<number>();
  #entry = 0;
  #topLevel = -1;

  constructor(store: GraphStore, space: number, builder: HnswBuilder) {
    this.#store = store;
    this.#builder = builder;
    this.#space = space;
    this.#index = store.vectors.inSpace(space, Space.Index);
    this.#links = new HnswLinks(store.writer, store.vectors.inSpace(space, Space.Length));
  }

  /** True if it is time: a third of the nodes, or a sweep that was begun. */
  get isDue(): boolean {
    if (this.#word(VectorIndex.Sweeping) !== 0) return true;
    const dead = this.#word(VectorIndex.Dead);
    return dead >= LEAST_DEAD && dead * 3 > this.#word(VectorIndex.Nodes);
  }

  /** Does all of it; yields after each node. */
  *run(): Generator<undefined, void, void> {
    this.#claim();
    for (const slot of this.#builder.slots((at, words) => words[at + Slot.Node] !== 0)) {
      if (this.#gone.has(slot)) continue;
      this.#join(slot);
      yield;
      if (this.#builder.isOver) return;
    }
    yield* this.#giveBack();
  }

  /** Everything retired so far is to go; what is retired from now on waits for the next sweep. */
  #claim(): void {
    const { writer, memory } = this.#store;
    writer.mutate(() => {
      if (this.#builder.isOver || this.#word(VectorIndex.Sweeping) !== 0) return;
      writer.put(memory.lists, this.#index + VectorIndex.Sweeping, this.#word(VectorIndex.Retired));
      writer.put(memory.lists, this.#index + VectorIndex.Retired, 0);
    });
    let slot = this.#word(VectorIndex.Sweeping);
    while (slot !== 0 && !this.#gone.has(slot)) {
      this.#gone.add(slot);
      slot = memory.vectors.words[slot + Slot.Scale]!;
    }
  }

  /** Renews the lists of a slot that stays. */
  #join(slot: number): void {
    const level = this.#links.levelOf(slot);
    if (level > this.#topLevel) {
      this.#topLevel = level;
      this.#entry = slot;
    }
    for (let layer = 0; layer <= level; layer++) {
      const neighbors = this.#renewed(slot, layer);
      if (neighbors === null) continue;
      this.#store.writer.mutate(() => {
        if (!this.#builder.isOver) this.#links.set(slot, layer, neighbors);
      });
    }
  }

  /** The neighbours that a slot is to have, null if it knows none of those that go. */
  #renewed(slot: number, level: number): number[] | null {
    const known = this.#copy(slot, level);
    if (!known.some((other) => this.#gone.has(other))) return null;
    const others = new Set<number>();
    for (const other of known) {
      const ways = this.#gone.has(other) ? this.#copy(other, level) : [other];
      for (const way of ways) if (way !== slot && !this.#gone.has(way)) others.add(way);
    }
    const scored = this.#builder.scored(slot, [...others]).sort(nearestFirst);
    return this.#builder.chosen(scored, HnswLinks.room(level)).map((near) => near.slot);
  }

  #copy(slot: number, level: number): number[] {
    return Array.from(this.#near.subarray(0, this.#links.copy(slot, level, this.#near)));
  }

  /** Who searches just now may still be on its way there, and learns that it has to do it again. */
  *#giveBack(): Generator<undefined, void, void> {
    const { writer, memory, vectors } = this.#store;
    writer.mutate(() => {
      if (this.#builder.isOver) return;
      writer.add(memory.lists, this.#index + VectorIndex.Sweeps, 1);
      writer.put(memory.lists, this.#index + VectorIndex.TopLevel, Math.max(0, this.#topLevel));
      writer.put(memory.lists, this.#index + VectorIndex.EntrySlot, this.#entry);
    });
    for (let isMore = true; isMore; ) {
      isMore = writer.mutate(() => {
        for (let count = 0; count < BATCH; count++) {
          const slot = this.#builder.isOver ? 0 : this.#word(VectorIndex.Sweeping);
          if (slot === 0) return false;
          const next = memory.vectors.words[slot + Slot.Scale]!;
          writer.put(memory.lists, this.#index + VectorIndex.Sweeping, next);
          this.#links.remove(slot);
          writer.add(memory.lists, this.#index + VectorIndex.Nodes, -1);
          writer.add(memory.lists, this.#index + VectorIndex.Dead, -1);
          vectors.giveBack(slot, this.#space);
        }
        return true;
      });
      yield;
    }
  }

  #word(word: number): number {
    return this.#store.memory.lists.words[this.#index + word]!;
  }
}
