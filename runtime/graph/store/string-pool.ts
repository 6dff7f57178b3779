// Pool of interned strings and byte values, reference-counted. A pointer stored in the graph owns a
// reference until `release`.
//
//   STRINGS  {references, bytes + 1 | kind << 31, hash, serial}, then the bytes, zero-padded
//   INDEX    hash -> pointer
//
// Serials are not reused (they wrap after 2^32 strings), so a pointer with its serial identifies
// one value forever; caches and prepared conditions compare both.

import { assert } from "../../base/assert.js";
import type { Arena } from "../memory/arena.js";
import { BlockAllocator } from "../memory/block-allocator.js";
import { Header } from "../memory/layout.js";
import type { SeqlockReader } from "../memory/seqlock-reader.js";
import type { Writer } from "../memory/writer.js";
import { MAX_STRING } from "../model/constants.js";
import { type EntryMatcher, HashIndex } from "./hash-index.js";
import { PackedText, wordsFor } from "./packed-text.js";
import { TextCache } from "./text-cache.js";
import type { TextView } from "./text-view.js";

const HEAD_WORDS = 4;
const Head = { References: 0, Length: 1, Hash: 2, Serial: 3 } as const;
const LENGTH_MASK = 0x7fff_ffff;
const BYTES_KIND = 0x8000_0000;
/** Seed that keeps the hashes of bytes and equal texts apart. */
const BYTES_HASH = 0x5bd1_e995;

export class StringPool implements EntryMatcher {
  readonly #writer: Writer;
  readonly #header: Arena;
  readonly #arena: Arena;
  readonly #blocks: BlockAllocator;
  readonly #index: HashIndex;
  readonly #cache = new TextCache();
  /** Value that `matches` compares with, and its length word. */
  readonly #wanted = new PackedText();
  #wantedLength = 0;
  /** Copy of a value for decoding. */
  readonly #copy = new PackedText();

  constructor(writer: Writer, reader: SeqlockReader) {
    this.#writer = writer;
    this.#header = writer.memory.header;
    this.#arena = writer.memory.strings;
    this.#blocks = new BlockAllocator(this.#arena, 1);
    this.#index = new HashIndex(writer, reader, Header.StringSegments, Header.StringSequence);
  }

  /** Initializes an empty pool. Requires a mutation. */
  format(): void {
    this.#writer.put(this.#header, Header.StringCount, 0);
    this.#index.format();
  }

  /** Number of distinct values. */
  get count(): number {
    return this.#header.words[Header.StringCount]!;
  }

  /** Returns the pointer of a text with an additional reference. Requires a mutation. */
  intern(text: string): number {
    return this.#internWanted(this.#seekText(text));
  }

  /** Variant of `intern` for a packed text. Requires a mutation. */
  internView({ words, at, bytes }: TextView): number {
    this.#wanted.setWords(words, at, bytes);
    this.#wantedLength = bytes + 1;
    return this.#internWanted(this.#wanted.hash());
  }

  /** Variant of `intern` for bytes, which never equal a text. Requires a mutation. */
  internBytes(bytes: Uint8Array): number {
    return this.#internWanted(this.#seekBytes(bytes));
  }

  /** Releases a reference; the last one frees the value. Requires a mutation. */
  release(pointer: number): void {
    const writer = this.#writer;
    const { words } = this.#arena;
    const references = words[pointer + Head.References]! - 1;
    assert(references >= 0, "a released string has a reference");
    writer.put(this.#arena, pointer + Head.References, references);
    if (references > 0) return;
    this.#index.remove(words[pointer + Head.Hash]! | 0, pointer);
    const bytes = (words[pointer + Head.Length]! & LENGTH_MASK) - 1;
    const count = HEAD_WORDS + wordsFor(bytes);
    writer.put(this.#arena, pointer + Head.Length, 0);
    this.#blocks.free(writer, pointer, this.#blocks.classFor(count));
    writer.add(this.#header, Header.StringCount, -1);
  }

  /**
   * Returns the pointer of a text, or 0. Takes no lock: the text may be freed at any time, so
   * callers that store the pointer must store and compare `serialOf` too.
   */
  find(text: string): number {
    return this.#index.find(this.#seekText(text), this);
  }

  /** Variant of `find` for bytes. */
  findBytes(bytes: Uint8Array): number {
    return this.#index.find(this.#seekBytes(bytes), this);
  }

  /** Returns the serial of a value, unique among all values ever interned. */
  serialOf(pointer: number): number {
    this.#cover(pointer + HEAD_WORDS);
    return this.#arena.words[pointer + Head.Serial] ?? 0;
  }

  /**
   * Returns the text at a pointer, possibly from this thread's cache. For a pointer without a
   * reference the result is arbitrary and must be validated afterwards.
   */
  text(pointer: number): string {
    const serial = this.serialOf(pointer);
    const cached = this.#cache.get(pointer, serial);
    if (cached !== undefined) return cached;
    if (!this.#fetch(pointer)) return "";
    const text = this.#copy.toText();
    // A new value at this location gets its own serial before its pointer becomes visible.
    if (this.serialOf(pointer) === serial) this.#cache.set(pointer, serial, text);
    return text;
  }

  /** Points a view to a referenced text. Requires the mutex. */
  view(pointer: number, into: TextView): TextView {
    const { words } = this.#arena;
    const bytes = (words[pointer + Head.Length]! & LENGTH_MASK) - 1;
    return into.place(words, pointer + HEAD_WORDS, bytes);
  }

  /** Returns a copy of the bytes at a pointer; validity as for `text`. */
  bytes(pointer: number): Uint8Array {
    return this.#fetch(pointer) ? this.#copy.toBytes() : new Uint8Array(0);
  }

  /** Returns the first four bytes of a referenced value, zero-padded. */
  firstWord(pointer: number): number {
    const { words } = this.#arena;
    const bytes = (words[pointer + Head.Length]! & LENGTH_MASK) - 1;
    return bytes > 0 ? words[pointer + HEAD_WORDS]! : 0;
  }

  /** Returns the hash of a referenced value, the same in all graphs. */
  hashOf(pointer: number): number {
    return this.#arena.words[pointer + Head.Hash]!;
  }

  /** Returns whether a value has several references. */
  isShared(pointer: number): boolean {
    return this.#arena.words[pointer + Head.References]! > 1;
  }

  /** Returns true if the value at a pointer is the wanted one (callback of the index). */
  matches(pointer: number): boolean {
    const start = pointer + HEAD_WORDS;
    if (!this.#cover(start + this.#wanted.wordCount)) return false;
    const { words } = this.#arena;
    if (words[pointer + Head.Length] !== this.#wantedLength) return false;
    return this.#wanted.equals(words, start);
  }

  #seekText(text: string): number {
    this.#wanted.setText(text);
    this.#wantedLength = this.#wanted.bytes + 1;
    return this.#wanted.hash();
  }

  #seekBytes(bytes: Uint8Array): number {
    this.#wanted.setBytes(bytes);
    this.#wantedLength = ((this.#wanted.bytes + 1) | BYTES_KIND) >>> 0;
    return this.#wanted.hash(BYTES_HASH);
  }

  #internWanted(hash: number): number {
    const writer = this.#writer;
    const found = this.#index.find(hash, this);
    if (found !== 0) {
      assert(this.#arena.words[found + Head.References]! > 0, "an indexed string is referenced");
      writer.add(this.#arena, found + Head.References, 1);
      return found;
    }
    const count = HEAD_WORDS + this.#wanted.wordCount;
    const pointer = this.#blocks.allocate(writer, this.#blocks.classFor(count));
    const { words } = this.#arena;
    words[pointer + Head.References] = 1;
    words[pointer + Head.Length] = this.#wantedLength;
    words[pointer + Head.Hash] = hash;
    words[pointer + Head.Serial] = this.#nextSerial();
    this.#wanted.copyTo(words, pointer + HEAD_WORDS);
    writer.markDirty(this.#arena, pointer, count);
    this.#index.add(hash, pointer);
    writer.add(this.#header, Header.StringCount, 1);
    return pointer;
  }

  /** Returns the next serial; never decreased, not even by a rollback. */
  #nextSerial(): number {
    return Atomics.add(this.#header.ints, Header.StringSerial, 1) + 1;
  }

  /** Copies a value; false if the pointer cannot be valid. */
  #fetch(pointer: number): boolean {
    if (!this.#cover(pointer + HEAD_WORDS)) return false;
    const bytes = (this.#arena.words[pointer + Head.Length]! & LENGTH_MASK) - 1;
    const start = pointer + HEAD_WORDS;
    if (bytes < 0 || bytes > MAX_STRING || !this.#cover(start + wordsFor(bytes))) return false;
    this.#copy.setWords(this.#arena.words, start, bytes);
    return true;
  }

  /** Returns true if the arena has at least `words` words, after a refresh if needed. */
  #cover(words: number): boolean {
    if (words <= this.#arena.words.length) return true;
    this.#writer.memory.refresh();
    return words <= this.#arena.words.length;
  }
}
