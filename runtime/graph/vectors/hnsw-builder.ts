// Adds vectors to an index, one at a time. What is near a new one is found without any lock; then,
// in one mutation, it gets its node and those near it get to know it, if it is still there. Only
// one thread may build: a list that was read must not change before it is written.

import type { GraphStore } from "../store/graph-store.js";
import { HnswLinks } from "./hnsw-links.js";
import { HnswSearch } from "./hnsw-search.js";
import { LINKS, LINKS_LOWEST, MAX_LEVEL, VectorIndex } from "./index-layout.js";
import { Probe } from "./probe.js";
import { SLAB_WORDS, SLOT_WORDS, Slab, Slot, Space, strideOf } from "./vector-layout.js";
import type { VectorTable } from "./vector-table.js";

/** Share of the nodes on a layer that are on the next one too: 1 / LINKS. */
const LEVEL_SCALE = 1 / Math.log(LINKS);

/** The neighbours that a slot is to have on a layer. */
interface List {
  readonly slot: number;
  readonly level: number;
  readonly neighbors: readonly number[];
}

/** A slot with how near it is to another one. */
export interface ScoredNode {
  readonly slot: number;
  readonly score: number;
}

export class HnswBuilder {
  readonly #store: GraphStore;
  readonly #table: VectorTable;
  readonly #space: number;
  readonly #index: number;
  readonly #length: number;
  readonly #epoch: number;
  readonly #search: HnswSearch;
  readonly #near = new Uint32Array(LINKS_LOWEST);
  readonly #random: () => number;

  /**
   * @param space one that has an index
   * @param random of 0 to 1; which layers a node is on
   */
  constructor(store: GraphStore, space: number, random: () => number = Math.random) {
    this.#store = store;
    this.#table = store.vectors;
    this.#space = space;
    this.#index = this.#table.inSpace(space, Space.Index);
    this.#length = this.#table.inSpace(space, Space.Length);
    this.#epoch = this.#table.epoch;
    this.#search = new HnswSearch(this.#table, space);
    this.#random = random;
  }

  /** False once the graph was truncated: the index is gone. */
  get isThere(): boolean {
    return this.#table.epoch === this.#epoch;
  }

  /** True once there is nothing to build: the index is gone, or is to go. */
  get isOver(): boolean {
    const { lists } = this.#store.memory;
    return !this.isThere || lists.words[this.#index + VectorIndex.Dropping] !== 0;
  }

  /** Adds all vectors that have no node yet; yields after each, so that others get their turn. */
  *addMissing(): Generator<undefined, void, void> {
    const { lists } = this.#store.memory;
    for (;;) {
      const writes = this.#table.writes;
      for (const slot of this.#missing()) {
        this.#add(slot);
        yield;
        if (this.isOver) return;
      }
      this.#store.writer.mutate(() => {
        if (this.isOver) return;
        this.#store.writer.put(lists, this.#index + VectorIndex.CompleteTo, writes);
        this.#store.writer.put(lists, this.#index + VectorIndex.IsComplete, 1);
      });
      if (this.#table.writes === writes || this.isOver) return;
    }
  }

  /** Slots of vertices that may have no node. */
  *#missing(): Generator<number, void, void> {
    const { words } = this.#store.memory.lists;
    const isComplete = words[this.#index + VectorIndex.IsComplete] === 1;
    const since = words[this.#index + VectorIndex.CompleteTo]!;
    const changed = isComplete ? this.#table.changedSince(since) : null;
    if (changed === null) {
      yield* this.slots((slot, vectors) => vectors[slot + Slot.Vertex] !== 0);
      return;
    }
    for (const vertex of changed) {
      const slot = this.#table.slotOf(vertex);
      if (this.#table.memory.lengthIn(slot) === this.#length) yield slot;
    }
  }

  /** Slots of the space that are wanted. */
  *slots(isWanted: (slot: number, words: Uint32Array) => boolean): Generator<number, void, void> {
    const stride = strideOf(this.#length);
    let slab = this.#table.inSpace(this.#space, Space.FirstSlab);
    while (slab !== 0 && this.isThere) {
      this.#store.memory.refresh();
      const used = this.#table.memory.words[slab + Slab.Used]!;
      for (let index = 0; index < used; index++) {
        const slot = slab + SLAB_WORDS + index * stride;
        if (isWanted(slot, this.#table.memory.words)) yield slot;
      }
      slab = this.#table.memory.words[slab + Slab.Next]!;
    }
  }

  #add(slot: number): void {
    const { memory } = this.#table;
    const vertex = memory.words[slot + Slot.Vertex]!;
    if (vertex === 0 || memory.words[slot + Slot.Node] !== 0) return;
    const parts = this.#table.get(vertex);
    if (this.#table.slotOf(vertex) !== slot || parts.bytes.length !== this.#length) return;
    const level = Math.min(MAX_LEVEL, Math.floor(-Math.log(1 - this.#random()) * LEVEL_SCALE));
    const lists = this.#listsFor(slot, new Probe(this.#table, parts), level);
    this.#store.writer.mutate(() => {
      const isSame =
        !this.isOver &&
        memory.words[slot + Slot.Vertex] === vertex &&
        memory.words[slot + Slot.Node] === 0 &&
        this.#holds(slot, parts.bytes);
      if (isSame) this.#write(slot, level, lists);
    });
  }

  /** In a mutation: the node, its own lists, and then those that name it. */
  #write(slot: number, level: number, lists: readonly List[]): void {
    const { writer, memory } = this.#store;
    const { links } = this.#search;
    links.add(slot, level);
    for (const list of lists) links.set(list.slot, list.level, list.neighbors);
    writer.add(memory.lists, this.#index + VectorIndex.Nodes, 1);
    if (this.#search.entry !== 0 && level <= this.#search.topLevel) return;
    writer.put(memory.lists, this.#index + VectorIndex.EntrySlot, slot);
    writer.put(memory.lists, this.#index + VectorIndex.TopLevel, level);
  }

  #holds(slot: number, bytes: Int8Array): boolean {
    const { memory } = this.#table;
    const start = (slot + SLOT_WORDS) * 4;
    const stored = memory.bytes.subarray(start, start + this.#length);
    return bytes.every((byte, index) => byte === stored[index]);
  }

  /** The new node's own lists first. */
  #listsFor(slot: number, probe: Probe, level: number): List[] {
    const own: List[] = [];
    const others: List[] = [];
    const search = this.#search;
    const ef = this.#store.memory.lists.words[this.#index + VectorIndex.Ef]!;
    let start = search.descend(probe, level);
    for (let layer = Math.min(level, search.topLevel); layer >= 0 && start !== 0; layer--) {
      search.search(probe, start, layer, ef, (other) => search.vertexOf(other) !== 0);
      const found = this.#sortedResults();
      const neighbors = this.chosen(found, LINKS);
      own.push({ slot, level: layer, neighbors: neighbors.map((near) => near.slot) });
      for (const near of neighbors) others.push(this.#withNew(near, slot, layer));
      start = found[0]?.slot ?? start;
    }
    return [...own, ...others];
  }

  /** The list of a node, once it knows a new one. */
  #withNew(near: ScoredNode, slot: number, level: number): List {
    const { links } = this.#search;
    const count = links.copy(near.slot, level, this.#near);
    const known = Array.from(this.#near.subarray(0, count));
    const room = HnswLinks.room(level);
    if (count < room) return { slot: near.slot, level, neighbors: [...known, slot] };
    const scored = [...this.scored(near.slot, known), { slot, score: near.score }];
    const neighbors = this.chosen(scored.sort(nearestFirst), room);
    return { slot: near.slot, level, neighbors: neighbors.map((other) => other.slot) };
  }

  /** How near slots are to another one. */
  scored(slot: number, others: readonly number[]): ScoredNode[] {
    return others.map((other) => ({ slot: other, score: this.#similarity(slot, other) }));
  }

  /**
   * Of slots with the nearest first those that are nearer to the one in question than to each one
   * chosen before: they lead in all directions.
   */
  chosen(sorted: readonly ScoredNode[], room: number): ScoredNode[] {
    const chosen: ScoredNode[] = [];
    for (const candidate of sorted) {
      if (chosen.length === room) break;
      const isFar = chosen.every(
        ({ slot }) => this.#similarity(slot, candidate.slot) < candidate.score,
      );
      if (isFar) chosen.push(candidate);
    }
    return chosen;
  }

  #similarity(a: number, b: number): number {
    const { memory } = this.#table;
    const { floats } = memory;
    const product = memory.kernel.dot(
      memory.addressOf(a + SLOT_WORDS),
      memory.addressOf(b + SLOT_WORDS),
      this.#length,
    );
    return product * floats[a + Slot.InverseNorm]! * floats[b + Slot.InverseNorm]!;
  }

  #sortedResults(): ScoredNode[] {
    const { slots, scores, count } = this.#search.results;
    const found = Array.from({ length: count }, (_, index) => ({
      slot: slots[index]!,
      score: scores[index]!,
    }));
    return found.sort(nearestFirst);
  }
}

export function nearestFirst(a: ScoredNode, b: ScoredNode): number {
  return b.score - a.score;
}
