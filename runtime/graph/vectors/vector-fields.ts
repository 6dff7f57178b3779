// All vector tables of a graph: the unnamed one, and one per name. A name is a property key, and
// retains the code of the key. The first change that uses a name creates it. Sign indexes have
// separate tables.

import { MEASURE_NAMES } from "../../base/measure-names.js";
import type { Arena } from "../memory/arena.js";
import { BlockAllocator } from "../memory/block-allocator.js";
import { Header, LIST_UNIT_WORDS } from "../memory/layout.js";
import type { SeqlockReader } from "../memory/seqlock-reader.js";
import type { Writer } from "../memory/writer.js";
import { CapacityError } from "../model/errors.js";
import type { ContentDigest } from "../store/content-digest.js";
import { Precision } from "./precision.js";
import { registerSigns, SignTable } from "./sign-table.js";
import { encodeSetting, settingIndex } from "./similarity-settings.js";
import {
  FIELD_DIRECTORY_WORDS,
  FIELD_WORDS,
  Field,
  NamedRoot,
  UnnamedRoot,
} from "./vector-root.js";
import { VectorTable } from "./vector-table.js";

/** Maximum number of names in a graph, and of sign indexes. */
export const MAX_VECTOR_NAMES = 16;
const MAX_SIGN_INDEXES = 16;

const SIGN_SETTINGS = [
  ["precision", Precision.Binary],
  ["measure", MEASURE_NAMES.indexOf("hamming")],
] as const;

export class VectorFields {
  /** Table of the vectors without a name. */
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
  readonly #signs = new Map<number, SignTable>();

  constructor(writer: Writer, reader: SeqlockReader, digest: ContentDigest) {
    this.#writer = writer;
    this.#reader = reader;
    this.#digest = digest;
    this.#root = new UnnamedRoot(writer);
    this.#header = writer.memory.header;
    this.#lists = writer.memory.lists;
    this.#blocks = new BlockAllocator(this.#lists, LIST_UNIT_WORDS);
    this.unnamed = new VectorTable(writer, reader, digest, this.#root);
    registerSigns(this.unnamed, (length) => this.findSigns(0, length));
  }

  /** Number of vectors in all tables. */
  get count(): number {
    return this.all().reduce((sum, table) => sum + table.count, 0);
  }

  /** Returns the tables of vectors: the unnamed one, then the named ones. */
  all(): readonly VectorTable[] {
    return [this.unnamed, ...this.#names().map((field) => this.#tableAt(field))];
  }

  /** Returns the tables of signs, including those whose index is being dropped. */
  allSigns(): readonly SignTable[] {
    const fields = this.#fields().filter((field) => this.#readSignLength(field) !== 0);
    return fields.flatMap((field) => this.#signsAt(field) ?? []);
  }

  /** Returns the signs of the vectors of a key code and length; null if they do not exist. */
  findSigns(key: number, length: number): SignTable | null {
    if (this.#header.words[Header.VectorFields] === 0) return null;
    const { words } = this.#lists;
    const field = this.#fields().find((field) => {
      return this.#readSignLength(field) === length && words[field + Field.Key] === key;
    });
    return field === undefined ? null : this.#signsAt(field);
  }

  /**
   * Returns the signs of the vectors of a key code and length, and creates them if needed. Requires
   * a mutation.
   * @throws CapacityError at 16 sign indexes
   */
  requireSigns(key: number, length: number): SignTable {
    const existing = this.findSigns(key, length);
    if (existing !== null) return existing;
    if (this.hasAllSigns) {
      const message = `a graph has at most ${MAX_SIGN_INDEXES} sign indexes`;
      throw new CapacityError(`${message}, dropped ones among them until it is truncated`);
    }
    this.require(key);
    const signs = this.#signsAt(this.#addField(key, length))!;
    for (const [name, value] of SIGN_SETTINGS) {
      signs.table.changeSetting(settingIndex(name), encodeSetting(name, value));
    }
    return signs;
  }

  /** True if no further sign index can be created. */
  get hasAllSigns(): boolean {
    return this.#fields().length - this.#names().length === MAX_SIGN_INDEXES;
  }

  /** Returns the table of a key code (0: the unnamed table); null if it does not exist. */
  find(key: number): VectorTable | null {
    if (key === 0) return this.unnamed;
    const field = this.#names().find((block) => this.#lists.words[block + Field.Key] === key);
    return field === undefined ? null : this.#tableAt(field);
  }

  /** Returns whether a name uses this key code, which prevents its reuse. */
  usesKey(key: number): boolean {
    return key !== 0 && this.find(key) !== null;
  }

  /** True if no further name can be created. */
  get isFull(): boolean {
    return this.#names().length === MAX_VECTOR_NAMES;
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

  /** Resets all tables after their memory was discarded. Readers must have been notified. */
  reset(): void {
    const writer = this.#writer;
    writer.put(this.#header, Header.VectorFields, 0);
    this.unnamed.reset();
    writer.add(this.#header, Header.VectorEpoch, 1);
    this.#root.clearSlots();
    this.#tables.clear();
    this.#signs.clear();
  }

  /** Refreshes the views after the graph has moved to another memory. */
  refresh(): void {
    this.unnamed.refresh();
    for (const table of this.#tables.values()) table.refresh();
    for (const { table } of this.#signs.values()) table.refresh();
  }

  /** Returns the blocks of all names. */
  #names(): number[] {
    return this.#fields().filter((field) => this.#readSignLength(field) === 0);
  }

  #readSignLength(field: number): number {
    return this.#lists.words[field + Field.Signs]!;
  }

  /** Returns the blocks of all names and sign indexes. */
  #fields(): number[] {
    const fields: number[] = [];
    let field = this.#header.words[Header.VectorFields]!;
    if (field + FIELD_WORDS > this.#lists.words.length) this.#writer.memory.refresh();
    while (field !== 0 && fields.length < MAX_VECTOR_NAMES + MAX_SIGN_INDEXES) {
      fields.push(field);
      field = this.#lists.words[field + Field.Next] ?? 0;
    }
    return fields;
  }

  #tableAt(field: number): VectorTable {
    const cached = this.#tables.get(field);
    // The block may have been rolled back or discarded, and reused for another name.
    const key = this.#lists.words[field + Field.Key]!;
    if (cached?.exists && cached.key === key) return cached;
    const root = new NamedRoot(this.#writer, field);
    const table = new VectorTable(this.#writer, this.#reader, this.#digest, root);
    registerSigns(table, (length) => this.findSigns(key, length));
    this.#tables.set(field, table);
    return table;
  }

  /** Returns the signs of a block; null while the name of the vectors is being created. */
  #signsAt(field: number): SignTable | null {
    const cached = this.#signs.get(field);
    const key = this.#lists.words[field + Field.Key]!;
    const isSame = cached?.table.key === key && cached.length === this.#readSignLength(field);
    if (cached?.exists && isSame) return cached;
    const vectors = this.find(key);
    if (vectors === null) return null;
    const root = new NamedRoot(this.#writer, field);
    const table = new VectorTable(this.#writer, this.#reader, null, root);
    const signs = new SignTable(vectors, table, field);
    this.#signs.set(field, signs);
    return signs;
  }

  #create(key: number): VectorTable {
    if (this.isFull) {
      throw new CapacityError(`a graph has at most ${MAX_VECTOR_NAMES} names of vectors`);
    }
    return this.#tableAt(this.#addField(key, 0));
  }

  /**
   * Creates the block of a name or of a sign index.
   * @param signs for a sign index, the number of components; 0: a name
   */
  #addField(key: number, signs: number): number {
    const field = this.#allocate(FIELD_WORDS);
    const directory = this.#allocate(FIELD_DIRECTORY_WORDS);
    const { words } = this.#lists;
    words[field + Field.Key] = key;
    words[field + Field.Directory] = directory;
    words[field + Field.Signs] = signs;
    words[field + Field.Next] = this.#header.words[Header.VectorFields]!;
    this.#writer.put(this.#header, Header.VectorFields, field);
    return field;
  }

  /** Allocates a block of zeros. */
  #allocate(count: number): number {
    const block = this.#blocks.allocate(this.#writer, this.#blocks.classFor(count));
    this.#lists.words.fill(0, block, block + count);
    return block;
  }
}
