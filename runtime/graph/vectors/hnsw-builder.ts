// Adds vectors to an HNSW index, one at a time. The builder searches for neighbors without a lock.
// Then one mutation writes the node and the lists of its neighbors, if the vector still exists.
// Only one thread may build an index, because lists must not change between reading and writing.

import { packBits } from "./binary-vector.js";
import { HnswLinks } from "./hnsw-links.js";
import { HnswSearch } from "./hnsw-search.js";
import { LINKS, LINKS_LOWEST, MAX_LEVEL, VectorIndex } from "./index-layout.js";
import { Probe } from "./probe.js";
import {
  computeStride,
  countComponents,
  hasBits,
  SLAB_WORDS,
  SLOT_WORDS,
  Slab,
  Slot,
  Space,
} from "./vector-layout.js";
import type { VectorParts } from "./vector-parts.js";
import type { VectorTable } from "./vector-table.js";

/** Scale of random levels: a node is also on the next layer with probability 1 / LINKS. */
const LEVEL_SCALE = 1 / Math.log(LINKS);

/** New neighbors of a slot on a layer, as words. */
const List = { Slot: 0, Level: 1, Count: 2, Neighbors: 3 } as const;
const LIST_WORDS = List.Neighbors + LINKS_LOWEST;
/** On each layer: the list of the new node, and the lists of its neighbors. */
const MAX_LISTS = (MAX_LEVEL + 1) * (1 + LINKS);

export class HnswBuilder {
  readonly #table: VectorTable;
  readonly #space: number;
  readonly #index: number;
  /** Length word of the slots, and their number of components. */
  readonly #length: number;
  readonly #components: number;
  readonly #epoch: number;
  readonly #search: HnswSearch;
  /** Lists that a new node changes; the memory is reused for each node. */
  readonly #lists = new Uint32Array(MAX_LISTS * LIST_WORDS);
  #listsEnd = 0;
  /** Neighbors of a slot, and a new neighbor. */
  readonly #neighbors = new Uint32Array(LINKS_LOWEST + 1);
  readonly #random: () => number;

  /**
   * @param space space with an index
   * @param random returns numbers in [0, 1), which determine the level of a node
   */
  constructor(table: VectorTable, space: number, random: () => number = Math.random) {
    this.#table = table;
    this.#space = space;
    this.#index = this.#table.readSpace(space, Space.Index);
    this.#length = this.#table.readSpace(space, Space.Length);
    this.#components = countComponents(this.#length);
    this.#epoch = this.#table.epoch;
    this.#search = new HnswSearch(this.#table, space);
    this.#random = random;
  }

  /** False once the graph has been truncated, which removes the index. */
  get exists(): boolean {
    return this.#table.epoch === this.#epoch;
  }

  /** True once the index is removed or being dropped. */
  get isFinished(): boolean {
    const { lists } = this.#table.writer.memory;
    return !this.exists || lists.words[this.#index + VectorIndex.Dropping] !== 0;
  }

  /** Adds all vectors that have no node yet, yielding after each. */
  *addMissing(): Generator<undefined, void, void> {
    const { lists } = this.#table.writer.memory;
    for (;;) {
      const writes = this.#table.writes;
      for (const slot of this.#findMissing()) {
        this.#add(slot);
        yield;
        if (this.isFinished) return;
      }
      this.#table.writer.mutate(() => {
        if (this.isFinished) return;
        this.#table.writer.put(lists, this.#index + VectorIndex.CompleteTo, writes);
        this.#table.writer.put(lists, this.#index + VectorIndex.IsComplete, 1);
      });
      if (this.#table.writes === writes || this.isFinished) return;
    }
  }

  /** Yields slots that may lack a node: of changed vertices if the index is complete, else all. */
  *#findMissing(): Generator<number, void, void> {
    const { words } = this.#table.writer.memory.lists;
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

  /** Yields the slots of the space that satisfy a predicate. */
  *slots(matches: (slot: number, words: Uint32Array) => boolean): Generator<number, void, void> {
    const stride = computeStride(this.#length);
    let slab = this.#table.readSpace(this.#space, Space.FirstSlab);
    while (slab !== 0 && this.exists) {
      this.#table.writer.memory.refresh();
      const used = this.#table.memory.words[slab + Slab.Used]!;
      for (let index = 0; index < used; index++) {
        const slot = slab + SLAB_WORDS + index * stride;
        if (matches(slot, this.#table.memory.words)) yield slot;
      }
      slab = this.#table.memory.words[slab + Slab.Next]!;
    }
  }

  #add(slot: number): void {
    const { memory } = this.#table;
    const vertex = memory.words[slot + Slot.Vertex]!;
    if (vertex === 0 || memory.words[slot + Slot.Node] !== 0) return;
    const parts = this.#table.get(vertex);
    if (this.#table.slotOf(vertex) !== slot || parts.bytes.length !== this.#components) return;
    const level = Math.min(MAX_LEVEL, Math.floor(-Math.log(1 - this.#random()) * LEVEL_SCALE));
    this.#computeLists(slot, new Probe(this.#table, parts), level);
    this.#table.writer.mutate(() => {
      const isSame =
        !this.isFinished &&
        memory.words[slot + Slot.Vertex] === vertex &&
        memory.words[slot + Slot.Node] === 0 &&
        this.#hasComponents(slot, parts);
      if (isSame) this.#write(slot, level);
    });
  }

  /** Within a mutation: writes the node and its lists, then the lists that refer to it. */
  #write(slot: number, level: number): void {
    const { writer } = this.#table;
    const { memory } = writer;
    this.#search.links.add(slot, level);
    for (const isOwn of [true, false]) {
      for (let at = 0; at < this.#listsEnd; at += LIST_WORDS) {
        if ((this.#lists[at + List.Slot] === slot) === isOwn) this.#writeList(at);
      }
    }
    writer.add(memory.lists, this.#index + VectorIndex.Nodes, 1);
    if (this.#search.entry !== 0 && level <= this.#search.topLevel) return;
    writer.put(memory.lists, this.#index + VectorIndex.EntrySlot, slot);
    writer.put(memory.lists, this.#index + VectorIndex.TopLevel, level);
  }

  #writeList(at: number): void {
    const lists = this.#lists;
    const [slot, level] = [lists[at + List.Slot]!, lists[at + List.Level]!];
    this.#search.links.set(slot, level, lists, at + List.Neighbors, lists[at + List.Count]!);
  }

  #hasComponents(slot: number, { bytes }: VectorParts): boolean {
    const { memory } = this.#table;
    const start = slot + SLOT_WORDS;
    const [expected, stored, first] = hasBits(this.#length)
      ? [packBits(bytes), memory.words, start]
      : [bytes, memory.bytes, start * 4];
    return expected.every((item, index) => item === stored[first + index]);
  }

  /** Computes the lists of a new node and of its neighbors. */
  #computeLists(slot: number, probe: Probe, level: number): void {
    const search = this.#search;
    const { walk } = search;
    const ef = this.#table.writer.memory.lists.words[this.#index + VectorIndex.Ef]!;
    this.#listsEnd = 0;
    let start = search.descend(probe, level);
    for (let layer = Math.min(level, search.topLevel); layer >= 0 && start !== 0; layer--) {
      search.search(probe, start, layer, ef);
      walk.finish();
      if (walk.count > 0) start = walk.slotAt(0);
      const ownList = this.#startList(slot, layer);
      const count = walk.diversify(LINKS, this.#lists, ownList + List.Neighbors);
      this.#lists[ownList + List.Count] = count;
      for (let index = 0; index < count; index++) {
        this.#addNeighbor(this.#lists[ownList + List.Neighbors + index]!, slot, layer);
      }
    }
  }

  /** Starts another list; returns its offset. */
  #startList(slot: number, level: number): number {
    const at = this.#listsEnd;
    this.#listsEnd += LIST_WORDS;
    this.#lists[at + List.Slot] = slot;
    this.#lists[at + List.Level] = level;
    return at;
  }

  /** Computes the list of a node with an additional neighbor. */
  #addNeighbor(neighbor: number, slot: number, level: number): void {
    const list = this.#startList(neighbor, level);
    const first = list + List.Neighbors;
    const maxNeighbors = HnswLinks.maxNeighbors(level);
    const neighbors = this.#neighbors;
    let count = this.#search.links.copy(neighbor, level, neighbors);
    neighbors[count++] = slot;
    if (count > maxNeighbors) {
      count = this.selectNeighbors(
        neighbor,
        neighbors.subarray(0, count),
        maxNeighbors,
        this.#lists,
        first,
      );
    } else {
      for (let index = 0; index < count; index++) this.#lists[first + index] = neighbors[index]!;
    }
    this.#lists[list + List.Count] = count;
  }

  /** Selects up to `room` diverse slots near a slot, and copies them; returns their number. */
  selectNeighbors(
    slot: number,
    others: Uint32Array,
    room: number,
    into: Uint32Array,
    to = 0,
  ): number {
    const { walk } = this.#search;
    walk.rank(slot, others);
    return walk.diversify(room, into, to);
  }
}
