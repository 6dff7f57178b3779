// Maps ids to handles and back. Ids are UTF-8 of 1 to 131,000 bytes, decoded only on demand. Reads
// are validated by the sequence of the vertex; see memory/seqlock-reader.ts.
//
//   IDS     {handle, bytes (0: free)}, then the bytes, zero-padded to words
//   INDEX   hash -> pointer into IDS
//   RECORD  IdPointer, IdBytes (0: no id), IdHash
//
// A lookup accesses only INDEX and IDS, because each further arena costs a cache miss in a large
// graph. It reads the handle, compares the id, and accepts the handle if it is unchanged: a block
// is always free before it gets another owner.

import { BlockAllocator } from "../memory/block-allocator.js";
import type { GraphMemory } from "../memory/graph-memory.js";
import { ARC_WORDS, Header, RECORD_WORDS, RecordWord, SIDE_WORDS } from "../memory/layout.js";
import type { SeqlockReader } from "../memory/seqlock-reader.js";
import type { Writer } from "../memory/writer.js";
import { MAX_STRING } from "../model/constants.js";
import { type EntryMatcher, HashIndex } from "./hash-index.js";
import { IdPrefixes } from "./id-prefixes.js";
import { hashWords, PackedText, wordsFor } from "./packed-text.js";
import { TextCache } from "./text-cache.js";
import type { TextView } from "./text-view.js";
import type { VertexTable } from "./vertex-table.js";

const HEAD_WORDS = 2;
const Head = { Handle: 0, Bytes: 1 } as const;
/** Hash seeds of an internal id; the first is the one of lookups. */
const INTERNAL_SEEDS = [0, 0x1b56_c4e9, 0x7f4a_7c15, 0x3c6e_f372] as const;
const INTERNAL_ID = /^[0-9a-f]{32}$/;
const INTERNAL_ID_LENGTH = 32;

export class VertexIds implements EntryMatcher {
  readonly #writer: Writer;
  readonly #reader: SeqlockReader;
  readonly #memory: GraphMemory;
  readonly #vertices: VertexTable;
  readonly #index: HashIndex;
  readonly #blocks: BlockAllocator;
  readonly #cache = new TextCache();
  readonly #prefixes: IdPrefixes;
  /** Id that `matches` compares with, and the handle it has accepted. */
  readonly #wanted = new PackedText();
  #found = 0;
  /** Copy of an id for decoding. */
  readonly #copy = new PackedText();

  constructor(writer: Writer, reader: SeqlockReader, vertices: VertexTable) {
    this.#writer = writer;
    this.#reader = reader;
    this.#memory = writer.memory;
    this.#prefixes = new IdPrefixes(writer.memory);
    this.#vertices = vertices;
    this.#index = new HashIndex(writer, reader, Header.IdSegments, Header.IndexSequence);
    this.#blocks = new BlockAllocator(writer.memory.ids, 1);
  }

  /** Initializes an empty index. Requires a mutation. */
  format(): void {
    this.#index.format();
  }

  /** Returns the handle of a vertex, or 0. Takes no lock. */
  find(id: string): number {
    if (id === "" || id.length > MAX_STRING) return 0;
    this.#wanted.setText(id);
    return this.#findWanted();
  }

  /** Variant of `find` for packed UTF-8; the caller has validated the range. */
  findWords(words: Uint32Array, at: number, bytes: number): number {
    if (bytes === 0 || bytes > MAX_STRING) return 0;
    this.#wanted.setWords(words, at, bytes);
    return this.#findWanted();
  }

  /**
   * Prefetches the words that lookups of many ids read, so that the cache misses overlap.
   * @param offsets offsets of the ids in `words`, each behind its length; overwritten
   */
  prefetch(words: Uint32Array, offsets: Int32Array, count: number): void {
    const { ids, record, meta, out, in: into } = this.#memory;
    for (let index = 0; index < count; index++) {
      const at = offsets[index]!;
      offsets[index] = this.#index.firstEntry(hashWords(words, at, words[at - 1]!));
    }
    for (let index = 0; index < count; index++) {
      offsets[index] = ids.ints[offsets[index]! + Head.Handle] ?? 0;
    }
    let seen = 0;
    for (let index = 0; index < count; index++) {
      const handle = offsets[index]!;
      seen ^=
        (record.ints[handle * RECORD_WORDS] ?? 0) ^
        (meta.ints[handle] ?? 0) ^
        (out.ints[handle * SIDE_WORDS] ?? 0) ^
        (into.ints[handle * SIDE_WORDS] ?? 0);
    }
    // Stored so that the compiler does not eliminate the reads.
    offsets[0] = seen;
  }

  /**
   * Sets the id of a newly allocated handle. The id must be valid and unused. Requires a mutation.
   * @throws SvcError SVC2402
   */
  add(handle: number, id: string | TextView): void {
    const writer = this.#writer;
    const text = this.#wanted;
    text.take(id);
    const count = HEAD_WORDS + text.wordCount;
    const block = this.#blocks.allocate(writer, this.#blocks.classFor(count));
    const { ids, record } = this.#memory;
    ids.words[block + Head.Handle] = handle;
    ids.words[block + Head.Bytes] = text.bytes;
    text.copyTo(ids.words, block + HEAD_WORDS);
    writer.markDirty(ids, block, count);
    const hash = text.hash();
    const base = handle * RECORD_WORDS;
    // `VertexTable.allocate` has written the undo entries.
    record.words[base + RecordWord.IdPointer] = block;
    record.words[base + RecordWord.IdBytes] = text.bytes;
    record.words[base + RecordWord.IdHash] = hash;
    this.#index.add(hash, block);
  }

  /** Removes the id of a handle. Requires a mutation. */
  remove(handle: number): void {
    const writer = this.#writer;
    const { record, ids } = this.#memory;
    const base = handle * RECORD_WORDS;
    writer.touch(0, handle);
    const bytes = record.words[base + RecordWord.IdBytes]!;
    const block = record.words[base + RecordWord.IdPointer]!;
    this.#index.remove(record.words[base + RecordWord.IdHash]! | 0, block);
    writer.put(ids, block + Head.Bytes, 0);
    writer.put(record, base + RecordWord.IdBytes, 0);
    this.#blocks.free(writer, block, this.#blocks.classFor(HEAD_WORDS + wordsFor(bytes)));
  }

  /** Returns the id of a vertex, even if just deleted; empty for an unused handle. */
  idOf(handle: number): string {
    // A handle is reused only after its id was removed, which changes the sequence.
    const moment = this.#memory.header.words[Header.IndexSequence]!;
    return this.#cache.confirmed(handle, moment) ?? this.#idAt(handle, moment);
  }

  #idAt(handle: number, moment: number): string {
    const generation = this.#vertices.generationOf(handle);
    let id = this.#cache.get(handle, generation);
    if (id === undefined) {
      if (!this.#fetch(handle)) return "";
      id = this.#copy.toText();
      // The generation was read before the id, so an id is never cached under a later one.
      this.#cache.set(handle, generation, id);
    }
    // An id created in a mutation may be rolled back without a removal.
    if (moment % 2 === 0 && !this.#writer.isWriting) this.#cache.confirm(handle, moment);
    return id;
  }

  /** Returns the bytes of the id of a vertex. Requires a mutation. */
  lengthOf(handle: number): number {
    return this.#memory.record.words[handle * RECORD_WORDS + RecordWord.IdBytes]!;
  }

  /** Returns four bytes of the id of a vertex, zero-padded. Requires a mutation. */
  wordOf(handle: number, word: number): number {
    const { record, ids } = this.#memory;
    if (word >= wordsFor(this.lengthOf(handle))) return 0;
    return ids.words[
      record.words[handle * RECORD_WORDS + RecordWord.IdPointer]! + HEAD_WORDS + word
    ]!;
  }

  /** Copies the packed id of a vertex. Requires a mutation. */
  copyTo(handle: number, words: Uint32Array, at: number): void {
    const { record, ids } = this.#memory;
    const from = record.words[handle * RECORD_WORDS + RecordWord.IdPointer]! + HEAD_WORDS;
    const count = wordsFor(this.lengthOf(handle));
    for (let index = 0; index < count; index++) words[at + index] = ids.words[from + index]!;
  }

  /** Returns a copy of the UTF-8 of an id, empty for an unused handle. */
  bytesOf(handle: number): Uint8Array {
    return this.#fetch(handle) ? this.#copy.toBytes() : new Uint8Array(0);
  }

  /**
   * Returns the internal id: 32 hexadecimal digits, the same in every process; empty for an unused
   * handle.
   */
  internalIdOf(handle: number): string {
    return this.#fetch(handle) ? internalId(this.#copy) : "";
  }

  /** Returns the handle of the vertex with an id or, failing that, an internal id; 0 if none. */
  resolve(id: string): number {
    return this.find(id) || (id.length === INTERNAL_ID_LENGTH ? this.findInternal(id) : 0);
  }

  /** Returns the handle of the vertex with an internal id, or 0. */
  findInternal(hex: string): number {
    if (!INTERNAL_ID.test(hex)) return 0;
    const hash = Number.parseInt(hex.slice(0, 8), 16) | 0;
    let found = 0;
    const matches = (block: number): boolean => {
      const handle = this.#memory.ids.words[block + Head.Handle] ?? 0;
      if (this.internalIdOf(handle) !== hex) return false;
      found = handle;
      return true;
    };
    return this.#index.find(hash, { matches }) === 0 ? 0 : found;
  }

  /**
   * Compares two ids as UTF-8 bytes: negative, 0 or positive. For sorting, so it does not validate:
   * a vertex deleted meanwhile may sort anywhere.
   */
  compare(a: number, b: number): number {
    const { record, ids } = this.#memory;
    const atA = a * RECORD_WORDS;
    const atB = b * RECORD_WORDS;
    const bytesA = record.words[atA + RecordWord.IdBytes]!;
    const bytesB = record.words[atB + RecordWord.IdBytes]!;
    const pointerA = record.words[atA + RecordWord.IdPointer]!;
    const pointerB = record.words[atB + RecordWord.IdPointer]!;
    const count = wordsFor(Math.min(bytesA, bytesB));
    const end = HEAD_WORDS + count;
    if (Math.max(pointerA, pointerB) + end > ids.words.length) this.#memory.refresh();
    const { words } = ids;
    if (!(Math.max(pointerA, pointerB) + end <= words.length)) return a - b;
    for (let index = HEAD_WORDS; index < end; index++) {
      const wordA = words[pointerA + index]!;
      const wordB = words[pointerB + index]!;
      if (wordA !== wordB) return byteOrder(wordA) - byteOrder(wordB);
    }
    return bytesA - bytesB;
  }

  /**
   * Computes the first six bytes of the ids of heads, as numbers with the same order times a sign,
   * and returns the smallest; unvalidated, as `compare`.
   */
  prefixesOf(
    arcs: Uint32Array,
    from: number,
    end: number,
    sign: number,
    keys: Float64Array,
  ): number {
    const known = this.#prefixes.request((end - from) / ARC_WORDS);
    let minKey = Number.POSITIVE_INFINITY;
    for (let arc = from, index = 0; arc < end; arc += ARC_WORDS, index++) {
      const head = arcs[arc]!;
      let prefix = known === null ? Number.NaN : known[head]!;
      if (!(prefix >= 0)) {
        prefix = this.#prefixAt(head);
        if (known !== null) known[head] = prefix;
      }
      const key = sign * prefix;
      keys[index] = key;
      if (key < minKey) minKey = key;
    }
    return minKey;
  }

  #prefixAt(handle: number): number {
    const { record, ids } = this.#memory;
    const base = handle * RECORD_WORDS;
    if (!(record.words[base + RecordWord.IdPointer]! + HEAD_WORDS < ids.words.length)) {
      this.#memory.refresh();
    }
    const { words } = ids;
    const at = record.words[base + RecordWord.IdPointer]! + HEAD_WORDS;
    const isLonger = record.words[base + RecordWord.IdBytes]! > 4;
    const second = isLonger ? byteOrder(words[at + 1] ?? 0) >>> 16 : 0;
    return byteOrder(words[at] ?? 0) * 2 ** 16 + second;
  }

  startsWith(handle: number, prefix: Uint8Array): boolean {
    if (!this.#fetch(handle)) return false;
    return this.#copy.startsWith(prefix);
  }

  /** Returns true if a block has the wanted id (callback of the index). */
  matches(block: number): boolean {
    const { ids } = this.#memory;
    const text = this.#wanted;
    const start = block + HEAD_WORDS;
    if (start + text.wordCount > ids.words.length) this.#memory.refresh();
    const { words } = ids;
    if (start + text.wordCount > words.length) return false;
    const handle = words[block + Head.Handle]!;
    if (words[block + Head.Bytes] !== text.bytes || !text.equals(words, start)) return false;
    this.#reader.fence();
    this.#found = handle;
    return words[block + Head.Handle] === handle;
  }

  #findWanted(): number {
    return this.#index.find(this.#wanted.hash(), this) === 0 ? 0 : this.#found;
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
    const bytes = record.words[base + RecordWord.IdBytes];
    if (bytes === undefined || bytes === 0 || bytes > MAX_STRING) return false;
    const pointer = record.words[base + RecordWord.IdPointer]!;
    const start = pointer + HEAD_WORDS;
    const end = start + wordsFor(bytes);
    if (end > ids.words.length) this.#memory.refresh();
    if (end > ids.words.length) return false;
    this.#copy.setWords(ids.words, start, bytes);
    return true;
  }
}

/** Converts a word to big-endian. */
function byteOrder(word: number): number {
  const swapped = (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
  return swapped >>> 0;
}

function internalId(text: PackedText): string {
  const parts = INTERNAL_SEEDS.map((seed) => text.hash(seed) >>> 0);
  return parts.map((part) => part.toString(16).padStart(8, "0")).join("");
}
