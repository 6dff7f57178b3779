// State of one vector table: of the unnamed vectors of a graph, or of the vectors with one name.
// Both kinds have the same words, in the header or in a block of `lists`, and a map from vertices
// to slots.
//
//   field   in `lists`: words below, then 1 word per similarity setting  one per name or sign index
//   center  in `lists`: float32 x length                                 one per sign index
//   pages   in `lists`: directory of a field; each page contains the slots of 4,096 vertices
//
// Directories and pages never move, so readers need no lock. Truncating the graph discards them;
// the epoch of the graph then invalidates the tables that threads have cached.

import type { Arena } from "../memory/arena.js";
import { BlockAllocator } from "../memory/block-allocator.js";
import { Header, LIST_UNIT_WORDS, RECORD_WORDS } from "../memory/layout.js";
import type { Writer } from "../memory/writer.js";

/** Location of the state of a table. */
export interface VectorRoot {
  /** Key code of the name; 0: the unnamed vectors. */
  readonly key: number;
  /** Arena of the state, and offsets of the words. */
  readonly arena: Arena;
  readonly count: number;
  readonly writes: number;
  readonly spaces: number;
  readonly ring: number;
  readonly settings: number;
  /** False once the graph has been truncated, which invalidates the words. */
  readonly exists: boolean;
  /** Returns the slot of a vertex; 0 if it has no vector. */
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
  /** For a sign index: number of components of the vectors; 0: a name. */
  Signs: 7,
  /** For a sign index: center. */
  Center: 8,
  /** Value of the vector table's `writes` up to which all vectors have signs. */
  SignsTo: 9,
  /** 0 until the signs of every vector have been computed. */
  IsFilled: 10,
  Settings: 16,
} as const;
export const FIELD_WORDS = 32;
const PAGE_SHIFT = 12;
export const PAGE_WORDS = 1 << PAGE_SHIFT;
/** One page per 4,096 vertices, for the maximum number of vertices. */
export const FIELD_DIRECTORY_WORDS = 2 ** 30 / RECORD_WORDS / PAGE_WORDS;

/** Root of the vectors with one name, or of signs. */
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
