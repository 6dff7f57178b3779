// All tables of vectors of a graph: the unnamed one, and one for each name. A name is a property
// key with a code, which it retains. Names are created by the first change that uses them.

import type { Arena } from "../memory/arena.js";
import { BlockAllocator } from "../memory/block-allocator.js";
import { Header, LIST_UNIT_WORDS } from "../memory/layout.js";
import type { SeqlockReader } from "../memory/seqlock-reader.js";
import type { Writer } from "../memory/writer.js";
import { CapacityError } from "../model/errors.js";
import type { ContentDigest } from "../store/content-digest.js";
import {
  FIELD_DIRECTORY_WORDS,
  FIELD_WORDS,
  Field,
  NamedRoot,
  UnnamedRoot,
} from "./vector-root.js";
import { VectorTable } from "./vector-table.js";

/** Maximum number of names in a graph. */
export const MAX_VECTOR_NAMES = 16;

export class VectorFields {
  /** The vectors without a name. */
  readonly unnamed: VectorTable;
  readonly #writer: Writer;
  readonly #reader: SeqlockReader;
  readonly #digest: ContentDigest;
  readonly #root: UnnamedRoot;
  readonly #header: Arena;
  readonly #lists: Arena;
  readonly #blocks: BlockAllocator;
  /** Tables of this thread by their block. */
  readonly #tables = new Map<number, VectorTable>();

  constructor(writer: Writer, reader: SeqlockReader, digest: ContentDigest) {
    this.#writer = writer;
    this.#reader = reader;
    this.#digest = digest;
    this.#root = new UnnamedRoot(writer);
    this.#header = writer.memory.header;
    this.#lists = writer.memory.lists;
    this.#blocks = new BlockAllocator(this.#lists, LIST_UNIT_WORDS);
    this.unnamed = new VectorTable(writer, reader, digest, this.#root);
  }

  /** Number of vectors in all tables. */
  get count(): number {
    return this.all().reduce((sum, table) => sum + table.count, 0);
  }

  /** Returns the tables: the unnamed one, then those of names. */
  all(): readonly VectorTable[] {
    return [this.unnamed, ...this.#fields().map((field) => this.#tableAt(field))];
  }

  /** Returns the table of a key code, 0 for the unnamed one; null if there is none. */
  find(key: number): VectorTable | null {
    if (key === 0) return this.unnamed;
    const field = this.#fields().find((at) => this.#lists.words[at + Field.Key] === key);
    return field === undefined ? null : this.#tableAt(field);
  }

  /** Returns whether a name with this key code exists, so that the code keeps its name. */
  usesKey(key: number): boolean {
    return key !== 0 && this.find(key) !== null;
  }

  /** True if no further name can be created. */
  get isFull(): boolean {
    return this.#fields().length === MAX_VECTOR_NAMES;
  }

  /**
   * Returns the table of a key code and creates it if needed. Requires a mutation.
   * @throws CapacityError at 16 names
   */
  require(key: number): VectorTable {
    return this.find(key) ?? this.#create(key);
  }

  /** Removes all vectors of a vertex. Requires a mutation. */
  removeAll(vertex: number): void {
    for (const table of this.all()) table.remove(vertex);
  }

  /** Resets all tables after their memory was discarded; readers were notified before. */
  reset(): void {
    const writer = this.#writer;
    writer.put(this.#header, Header.VectorFields, 0);
    this.unnamed.reset();
    writer.add(this.#header, Header.VectorEpoch, 1);
    this.#root.clearSlots();
    this.#tables.clear();
  }

  /** Refreshes the views after the graph has moved to another memory. */
  refresh(): void {
    this.unnamed.refresh();
    for (const table of this.#tables.values()) table.refresh();
  }

  /** Returns the blocks of the names. */
  #fields(): number[] {
    const fields: number[] = [];
    let field = this.#header.words[Header.VectorFields]!;
    if (field + FIELD_WORDS > this.#lists.words.length) this.#writer.memory.refresh();
    while (field !== 0 && fields.length < MAX_VECTOR_NAMES) {
      fields.push(field);
      field = this.#lists.words[field + Field.Next] ?? 0;
    }
    return fields;
  }

  #tableAt(field: number): VectorTable {
    const known = this.#tables.get(field);
    // A block may have been rolled back, or discarded, and reused for another name.
    if (known?.exists && known.key === this.#lists.words[field + Field.Key]) return known;
    const root = new NamedRoot(this.#writer, field);
    const table = new VectorTable(this.#writer, this.#reader, this.#digest, root);
    this.#tables.set(field, table);
    return table;
  }

  #create(key: number): VectorTable {
    const writer = this.#writer;
    if (this.isFull) {
      throw new CapacityError(`a graph has at most ${MAX_VECTOR_NAMES} names of vectors`);
    }
    const field = this.#allocate(FIELD_WORDS);
    const directory = this.#allocate(FIELD_DIRECTORY_WORDS);
    const { words } = this.#lists;
    words[field + Field.Key] = key;
    words[field + Field.Directory] = directory;
    words[field + Field.Next] = this.#header.words[Header.VectorFields]!;
    writer.put(this.#header, Header.VectorFields, field);
    return this.#tableAt(field);
  }

  /** Returns a block of zeros. */
  #allocate(count: number): number {
    const block = this.#blocks.allocate(this.#writer, this.#blocks.classFor(count));
    this.#lists.words.fill(0, block, block + count);
    return block;
  }
}
