// Neighbor lists of an HNSW index, by layer. Readers validate every pointer. Writers need a
// mutation.

import { assert } from "../../base/assert.js";
import type { Arena } from "../memory/arena.js";
import { BlockAllocator } from "../memory/block-allocator.js";
import type { Writer } from "../memory/writer.js";
import { LINKS, LINKS_LOWEST, MAX_LEVEL, NODE_WORDS, Node, UPPER_WORDS } from "./index-layout.js";
import { computeStride, Slot } from "./vector-layout.js";

export class HnswLinks {
  readonly #writer: Writer;
  readonly #links: Arena;
  readonly #vectors: Arena;
  readonly #blocks: BlockAllocator;
  readonly #stride: number;

  /** @param length length word of the slots */
  constructor(writer: Writer, length: number) {
    this.#writer = writer;
    this.#links = writer.memory.links;
    this.#vectors = writer.memory.vectors;
    this.#blocks = new BlockAllocator(this.#links, NODE_WORDS);
    this.#stride = computeStride(length);
  }

  /** Returns the maximum number of neighbors on a layer. */
  static maxNeighbors(level: number): number {
    return level === 0 ? LINKS_LOWEST : LINKS;
  }

  /** Returns the highest layer of a node; -1 if the slot has no node. */
  levelOf(slot: number): number {
    const node = this.#findNode(slot);
    return node === 0 ? -1 : Math.min(MAX_LEVEL, this.#links.words[node + Node.Level]!);
  }

  /** The words of the lists. */
  get words(): Uint32Array {
    return this.#links.words;
  }

  /** Highest slot within this thread's view of the vectors. */
  get lastSlot(): number {
    return this.#vectors.words.length - this.#stride;
  }

  /** Copies the neighbors of a slot on a layer to an offset; returns their number. */
  copy(slot: number, level: number, into: Uint32Array, to = 0): number {
    const at = this.find(slot, level);
    if (at === 0) return 0;
    const { words } = this.#links;
    const count = Math.min(words[at]!, HnswLinks.maxNeighbors(level));
    const last = this.lastSlot;
    let next = to;
    for (let index = 1; index <= count; index++) {
      const neighbor = words[at + index]!;
      if (neighbor !== 0 && neighbor <= last) into[next++] = neighbor;
    }
    return next - to;
  }

  /** Within a mutation: adds a node without neighbors on layers up to `level`. */
  add(slot: number, level: number): void {
    assert(this.#vectors.words[slot + Slot.Node] === 0, "a slot has one node");
    const writer = this.#writer;
    const node = this.#blocks.allocate(writer, 0);
    let upper = 0;
    if (level > 0) {
      upper = this.#blocks.allocate(writer, this.#blocks.classFor(level * UPPER_WORDS));
      this.#links.words.fill(0, upper, upper + level * UPPER_WORDS);
    }
    const { words } = this.#links;
    words[node + Node.Slot] = slot;
    words[node + Node.Level] = level;
    words[node + Node.Upper] = upper;
    words[node + Node.Count] = 0;
    writer.put(this.#vectors, slot + Slot.Node, node);
  }

  /** Within a mutation: replaces the neighbors of a slot on a layer. */
  set(slot: number, level: number, neighbors: Uint32Array, from: number, count: number): void {
    assert(count <= HnswLinks.maxNeighbors(level), "neighbors fit into their list");
    const at = this.find(slot, level);
    if (at === 0) return;
    const writer = this.#writer;
    const { words } = this.#links;
    for (let index = 0; index < count; index++) {
      const word = at + 1 + index;
      const neighbor = neighbors[from + index]!;
      if (words[word] !== neighbor) writer.put(this.#links, word, neighbor);
    }
    writer.put(this.#links, at, count);
  }

  /** Within a mutation: removes the node of a slot. */
  remove(slot: number): void {
    const writer = this.#writer;
    const node = this.#findNode(slot);
    assert(node !== 0, "a node is removed once");
    const { words } = this.#links;
    const upper = words[node + Node.Upper]!;
    const level = words[node + Node.Level]!;
    if (upper !== 0) this.#blocks.free(writer, upper, this.#blocks.classFor(level * UPPER_WORDS));
    this.#blocks.free(writer, node, 0);
    writer.put(this.#vectors, slot + Slot.Node, 0);
  }

  #findNode(slot: number): number {
    const { words } = this.#vectors;
    if (slot === 0 || slot + this.#stride > words.length) return 0;
    const node = words[slot + Slot.Node]!;
    return node + NODE_WORDS <= this.#links.words.length ? node : 0;
  }

  /** Returns the offset of a list, whose first word is its length; 0 if it does not exist. */
  find(slot: number, level: number): number {
    const node = this.#findNode(slot);
    if (node === 0) return 0;
    if (level === 0) return node + Node.Count;
    const { words } = this.#links;
    const upper = words[node + Node.Upper]!;
    if (level > words[node + Node.Level]! || upper === 0) return 0;
    const at = upper + (level - 1) * UPPER_WORDS;
    return at + UPPER_WORDS <= words.length ? at : 0;
  }
}
