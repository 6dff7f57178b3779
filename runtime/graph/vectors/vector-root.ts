// State of one table of vectors: the unnamed vectors of a graph, or those of one name. Both have
// the same words, in the header or in a block of `lists`, and a map from vertices to slots.
//
//   field   in `lists`: words below, then a word per similarity setting     one for each name, and
//                                                                   for each index of signs
//   center  in `lists`: float32 x length                             one for each index of signs
//   pages   in `lists`: directory of a field, whose pages hold the slots of 4,096 vertices
//
// Directories and pages never move, so readers need no lock. Truncating the graph discards them;
// the epoch of the graph then invalidates the tables that threads have cached.

import type { Arena } from "../memory/arena.js";
import { BlockAllocator } from "../memory/block-allocator.js";
import { Header, LIST_UNIT_WORDS, RECORD_WORDS } from "../memory/layout.js";
import type { Writer } from "../memory/writer.js";

/** Where the state of a table is. */
export interface VectorRoot {
  /** Key code of the name; 0: the unnamed vectors. */
  readonly key: number;
  /** The arena and the offsets of its words there. */
  readonly arena: Arena;
  readonly count: number;
  readonly writes: number;
  readonly spaces: number;
  readonly ring: number;
  readonly settings: number;
  /** False once the graph was truncated: the words have another meaning. */
  readonly exists: boolean;
  /** Returns the slot of a vertex; 0 for none. */
  slotOf(vertex: number): number;
  /** Writes the slots of the first `count` vertices. */
  findSlots(vertices: Uint32Array, slots: Uint32Array, count: number): void;
  /** Within a mutation: sets the slot of a vertex. */
  setSlot(vertex: number, slot: number): void;
}

/** Root of the unnamed vectors, in the header; one word per vertex in an arena. */
export class UnnamedRoot implements VectorRoot {
  readonly key = 0;
  readonly arena: Arena;
  readonly count = Header.VectorCount;
  readonly writes = Header.VectorWrites;
  readonly spaces = Header.VectorSpaces;
  readonly ring = Header.VectorRing;
  readonly settings = Header.Similarity;
  readonly exists = true;
  readonly #writer: Writer;
  readonly #slots: Arena;

  constructor(writer: Writer) {
    this.#writer = writer;
    this.arena = writer.memory.header;
    this.#slots = writer.memory.vectorSlots;
  }

  slotOf(vertex: number): number {
    if (vertex >= this.#slots.words.length) this.#writer.memory.refresh();
    const { words } = this.#slots;
    return vertex < words.length ? words[vertex]! : 0;
  }

  findSlots(vertices: Uint32Array, slots: Uint32Array, count: number): void {
    const { words } = this.#slots;
    for (let at = 0; at < count; at++) {
      const vertex = vertices[at]!;
      slots[at] = vertex < words.length ? words[vertex]! : this.slotOf(vertex);
    }
  }

  setSlot(vertex: number, slot: number): void {
    this.#writer.ensureWords(this.#slots, vertex + 1);
    this.#writer.put(this.#slots, vertex, slot);
  }

  /** Resets the map after its memory was discarded. */
  clearSlots(): void {
    this.#slots.words.fill(0);
    this.#writer.markDirty(this.#slots, 0, this.#slots.words.length);
  }
}

export const Field = {
  Next: 0,
  Key: 1,
  Count: 2,
  Writes: 3,
  Spaces: 4,
  Ring: 5,
  Directory: 6,
  /** Components of the vectors whose signs these are; 0: the vectors of a name. */
  Signs: 7,
  /** Of signs: their center. */
  Center: 8,
  /** Every vector written before this value of `writes` of its table has signs. */
  SignsTo: 9,
  /** 0 until every vector had signs. */
  IsFilled: 10,
  Settings: 16,
} as const;
export const FIELD_WORDS = 32;
const PAGE_SHIFT = 12;
export const PAGE_WORDS = 1 << PAGE_SHIFT;
/** A page for each 4,096 vertices that a graph can have. */
export const FIELD_DIRECTORY_WORDS = 2 ** 30 / RECORD_WORDS / PAGE_WORDS;

/** Root of the vectors of one name, or of their signs. */
export class NamedRoot implements VectorRoot {
  readonly key: number;
  readonly arena: Arena;
  readonly field: number;
  readonly count: number;
  readonly writes: number;
  readonly spaces: number;
  readonly ring: number;
  readonly settings: number;
  readonly #writer: Writer;
  readonly #header: Arena;
  readonly #blocks: BlockAllocator;
  readonly #epoch: number;

  /** @param field block of the name in `lists` */
  constructor(writer: Writer, field: number) {
    const { header, lists } = writer.memory;
    this.#writer = writer;
    this.#header = header;
    this.#blocks = new BlockAllocator(lists, LIST_UNIT_WORDS);
    this.#epoch = header.words[Header.VectorEpoch]!;
    this.arena = lists;
    this.field = field;
    this.key = lists.words[field + Field.Key]!;
    this.count = field + Field.Count;
    this.writes = field + Field.Writes;
    this.spaces = field + Field.Spaces;
    this.ring = field + Field.Ring;
    this.settings = field + Field.Settings;
  }

  get exists(): boolean {
    return this.#header.words[Header.VectorEpoch] === this.#epoch;
  }

  slotOf(vertex: number): number {
    if (!this.exists) return 0;
    const page = this.#word(this.#word(this.field + Field.Directory) + (vertex >>> PAGE_SHIFT));
    return page === 0 ? 0 : this.#word(page + (vertex & (PAGE_WORDS - 1)));
  }

  findSlots(vertices: Uint32Array, slots: Uint32Array, count: number): void {
    for (let at = 0; at < count; at++) slots[at] = this.slotOf(vertices[at]!);
  }

  setSlot(vertex: number, slot: number): void {
    const writer = this.#writer;
    const entry = this.#word(this.field + Field.Directory) + (vertex >>> PAGE_SHIFT);
    let page = this.#word(entry);
    if (page === 0) {
      page = this.#blocks.allocate(writer, this.#blocks.classFor(PAGE_WORDS));
      this.arena.words.fill(0, page, page + PAGE_WORDS);
      writer.put(this.arena, entry, page);
    }
    writer.put(this.arena, page + (vertex & (PAGE_WORDS - 1)), slot);
  }

  #word(at: number): number {
    if (at >= this.arena.words.length) this.#writer.memory.refresh();
    return this.arena.words[at] ?? 0;
  }
}
