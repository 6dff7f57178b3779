// From ids to handles and back. Ids are UTF-8 of 1 to 131,000 bytes; this must never decode one that
// nobody asked for. The words of an id never change while its vertex lives, and all that is read
// of them is validated by the vertex's sequence; see memory/reader.ts.
//
//   RECORD  IdPointer -> IDS: bytes, zero-padded to words     IdBytes (0: no id)     IdHash
//   INDEX   IdHash -> handle

import { MAX_STRING } from "../constants.js";
import { Blocks } from "../memory/blocks.js";
import type { GraphMemory } from "../memory/graph-memory.js";
import { Header, RECORD_WORDS, Record } from "../memory/layout.js";
import type { Reader } from "../memory/reader.js";
import type { Writer } from "../memory/writer.js";
import { type EntryMatcher, HashIndex } from "./hash-index.js";
import { PackedText } from "./packed-text.js";
import { TextCache } from "./text-cache.js";
import type { VertexTable } from "./vertex-table.js";

/** An internal id: the hash of the look-up, then those with other seeds. */
const INTERNAL_SEEDS = [0, 0x1b56_c4e9, 0x7f4a_7c15, 0x3c6e_f372] as const;
const INTERNAL_ID = /^[0-9a-f]{32}$/;

export class VertexIds implements EntryMatcher {
  readonly #writer: Writer;
  readonly #reader: Reader;
  readonly #memory: GraphMemory;
  readonly #vertices: VertexTable;
  readonly #index: HashIndex;
  readonly #blocks: Blocks;
  readonly #cache = new TextCache();
  /** What `matches` compares with. */
  readonly #sought = new PackedText();
  /** The id of some vertex, copied for being decoded. */
  readonly #copy = new PackedText();

  constructor(writer: Writer, reader: Reader, vertices: VertexTable) {
    this.#writer = writer;
    this.#reader = reader;
    this.#memory = writer.memory;
    this.#vertices = vertices;
    this.#index = new HashIndex(writer, reader, Header.IdSegments, Header.IndexSequence);
    this.#blocks = new Blocks(writer.memory.ids, 1);
  }

  /** In a mutation: lays out an empty index. */
  format(): void {
    this.#index.format();
  }

  /** Handle of a vertex, 0 if there is none or the id can be none. Takes no lock. */
  find(id: string): number {
    if (id.length > MAX_STRING) return 0;
    this.#sought.setText(id);
    return this.#findSought();
  }

  findBytes(utf8: Uint8Array): number {
    if (utf8.length > MAX_STRING) return 0;
    this.#sought.setBytes(utf8);
    return this.#findSought();
  }

  /**
   * In a mutation: names a handle. The id must be a checked one and not be there yet.
   * @throws SvcError SVC2402
   */
  add(handle: number, id: string): void {
    const writer = this.#writer;
    const text = this.#sought;
    text.setText(id);
    const count = text.wordCount;
    const block = this.#blocks.allocate(writer, this.#blocks.classFor(count));
    const { ids, record } = this.#memory;
    text.copyTo(ids.words, block);
    writer.wrote(ids, block, count);
    const hash = text.hash();
    const base = handle * RECORD_WORDS;
    writer.put(record, base + Record.IdPointer, block);
    writer.put(record, base + Record.IdBytes, text.bytes);
    writer.put(record, base + Record.IdHash, hash);
    this.#index.add(hash, handle);
  }

  /** In a mutation: takes the id of a handle away. */
  remove(handle: number): void {
    const writer = this.#writer;
    const { record } = this.#memory;
    const base = handle * RECORD_WORDS;
    writer.touch(0, handle);
    this.#index.remove(record.words[base + Record.IdHash]! | 0, handle);
    const bytes = record.words[base + Record.IdBytes]!;
    const block = record.words[base + Record.IdPointer]!;
    this.#blocks.free(writer, block, this.#blocks.classFor((bytes + 3) >>> 2));
    writer.put(record, base + Record.IdBytes, 0);
  }

  /** Id of a vertex, also of one just deleted; empty if the handle has not been used. */
  idOf(handle: number): string {
    const generation = this.#vertices.generationOf(handle);
    const cached = this.#cache.get(handle, generation);
    if (cached !== undefined) return cached;
    if (!this.#fetch(handle)) return "";
    const id = this.#copy.toText();
    // Read before the id, so that an id is never kept under a generation that came after it.
    this.#cache.set(handle, generation, id);
    return id;
  }

  /** A copy of the UTF-8 of an id, empty if the handle is not used. */
  bytesOf(handle: number): Uint8Array {
    return this.#fetch(handle) ? this.#copy.toBytes() : new Uint8Array(0);
  }

  /** 32 hexadecimal digits, the same in every process; empty if the handle is not used. */
  internalIdOf(handle: number): string {
    return this.#fetch(handle) ? internalId(this.#copy) : "";
  }

  /** Handle of the vertex with an internal id, 0 if there is none. */
  findInternal(hex: string): number {
    if (!INTERNAL_ID.test(hex)) return 0;
    const hash = Number.parseInt(hex.slice(0, 8), 16) | 0;
    return this.#index.find(hash, { matches: (handle) => this.internalIdOf(handle) === hex });
  }

  /**
   * Order of two ids as UTF-8 bytes: negative, 0 or positive. Meant for sorting, so it does not
   * validate: a vertex that is deleted meanwhile may come anywhere.
   */
  compare(a: number, b: number): number {
    const { record, ids } = this.#memory;
    const atA = a * RECORD_WORDS;
    const atB = b * RECORD_WORDS;
    const bytesA = record.words[atA + Record.IdBytes]!;
    const bytesB = record.words[atB + Record.IdBytes]!;
    const pointerA = record.words[atA + Record.IdPointer]!;
    const pointerB = record.words[atB + Record.IdPointer]!;
    const count = (Math.min(bytesA, bytesB) + 3) >>> 2;
    if (Math.max(pointerA, pointerB) + count > ids.words.length) this.#memory.refresh();
    const { words } = ids;
    if (!(Math.max(pointerA, pointerB) + count <= words.length)) return a - b;
    for (let index = 0; index < count; index++) {
      const wordA = words[pointerA + index]!;
      const wordB = words[pointerB + index]!;
      if (wordA !== wordB) return byteOrder(wordA) - byteOrder(wordB);
    }
    return bytesA - bytesB;
  }

  startsWith(handle: number, prefix: Uint8Array): boolean {
    if (!this.#fetch(handle)) return false;
    return this.#copy.startsWith(prefix);
  }

  /** For the index: whether the vertex has the id looked for. */
  matches(handle: number): boolean {
    const reader = this.#reader;
    for (let attempt = 0; ; attempt++) {
      const seen = reader.enter(0, handle, attempt);
      const isSame = this.#isSought(handle);
      if (reader.leave(0, handle, seen)) return isSame;
    }
  }

  #findSought(): number {
    return this.#sought.bytes === 0 ? 0 : this.#index.find(this.#sought.hash(), this);
  }

  #isSought(handle: number): boolean {
    const { record, ids } = this.#memory;
    const base = handle * RECORD_WORDS;
    const text = this.#sought;
    if (record.words[base + Record.IdBytes] !== text.bytes) return false;
    const pointer = record.words[base + Record.IdPointer]!;
    if (pointer + text.wordCount > ids.words.length) this.#memory.refresh();
    return pointer + text.wordCount <= ids.words.length && text.equals(ids.words, pointer);
  }

  /** Copies the id of a vertex; false if it has none. */
  #fetch(handle: number): boolean {
    const reader = this.#reader;
    for (let attempt = 0; ; attempt++) {
      const seen = reader.enter(0, handle, attempt);
      const isThere = this.#copyId(handle);
      if (reader.leave(0, handle, seen)) return isThere;
    }
  }

  #copyId(handle: number): boolean {
    const { record, ids } = this.#memory;
    const base = handle * RECORD_WORDS;
    const bytes = record.words[base + Record.IdBytes];
    if (bytes === undefined || bytes === 0 || bytes > MAX_STRING) return false;
    const pointer = record.words[base + Record.IdPointer]!;
    const end = pointer + ((bytes + 3) >>> 2);
    if (end > ids.words.length) this.#memory.refresh();
    if (end > ids.words.length) return false;
    this.#copy.setWords(ids.words, pointer, bytes);
    return true;
  }
}

/** A word whose first byte counts most. */
function byteOrder(word: number): number {
  const swapped = (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
  return swapped >>> 0;
}

function internalId(text: PackedText): string {
  const parts = INTERNAL_SEEDS.map((seed) => text.hash(seed) >>> 0);
  return parts.map((part) => part.toString(16).padStart(8, "0")).join("");
}
