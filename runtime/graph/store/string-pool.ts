// Interned strings and byte values: equal ones lie in memory once, and are counted. Whoever keeps a
// pointer in the graph holds a reference, which he gives back with `release`.
//
//   STRINGS  {references, bytes + 1 | kind << 31, hash, serial}, then the bytes, zero-padded
//   INDEX    hash -> pointer
//
// Serials are never given twice, so that a pointer and its serial name one value for ever: that is
// what caches and prepared conditions compare. (They begin anew after 2^32 strings.)

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
/** Bytes and a text that are equal must not have equal hashes. */
const BYTES_HASH = 0x5bd1_e995;

export class StringPool implements EntryMatcher {
  readonly #writer: Writer;
  readonly #header: Arena;
  readonly #arena: Arena;
  readonly #blocks: BlockAllocator;
  readonly #index: HashIndex;
  readonly #cache = new TextCache();
  /** What `matches` compares with: the value, and its length word. */
  readonly #sought = new PackedText();
  #soughtLength = 0;
  /** Some value, copied for being decoded. */
  readonly #copy = new PackedText();

  constructor(writer: Writer, reader: SeqlockReader) {
    this.#writer = writer;
    this.#header = writer.memory.header;
    this.#arena = writer.memory.strings;
    this.#blocks = new BlockAllocator(this.#arena, 1);
    this.#index = new HashIndex(writer, reader, Header.StringSegments, Header.StringSequence);
  }

  /** In a mutation: lays out an empty pool. */
  format(): void {
    this.#writer.put(this.#header, Header.StringCount, 0);
    this.#index.format();
  }

  /** How many different values there are. */
  get count(): number {
    return this.#header.words[Header.StringCount]!;
  }

  /** In a mutation: pointer to the text, with one more reference. */
  intern(text: string): number {
    return this.#internSought(this.#seekText(text));
  }

  /** In a mutation: the same for a text that lies somewhere. */
  internPlaced({ words, at, bytes }: TextView): number {
    this.#sought.setWords(words, at, bytes);
    this.#soughtLength = bytes + 1;
    return this.#internSought(this.#sought.hash());
  }

  /** In a mutation: the same for bytes; a text and bytes are never the same value. */
  internBytes(bytes: Uint8Array): number {
    return this.#internSought(this.#seekBytes(bytes));
  }

  /** In a mutation: gives a reference back; the last one frees the value. */
  release(pointer: number): void {
    const writer = this.#writer;
    const { words } = this.#arena;
    const references = words[pointer + Head.References]! - 1;
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
   * Pointer to the text, 0 if it is nowhere. Takes no lock: the text may be gone in the next moment
   * and another be there. Who keeps the pointer keeps `serialOf` too and compares.
   */
  find(text: string): number {
    return this.#index.find(this.#seekText(text), this);
  }

  /** The same for bytes. */
  findBytes(bytes: Uint8Array): number {
    return this.#index.find(this.#seekBytes(bytes), this);
  }

  /** Differs for each value that was ever interned. */
  serialOf(pointer: number): number {
    this.#cover(pointer + HEAD_WORDS);
    return this.#arena.words[pointer + Head.Serial] ?? 0;
  }

  /**
   * The text that a pointer leads to, from this thread's cache if it is there. The pointer must be
   * one that counts, or be validated afterwards: one that does not gives any text.
   */
  text(pointer: number): string {
    const serial = this.serialOf(pointer);
    const cached = this.#cache.get(pointer, serial);
    if (cached !== undefined) return cached;
    if (!this.#fetch(pointer)) return "";
    const text = this.#copy.toText();
    // Whatever comes to lie here has its own serial before anybody gets the pointer.
    if (this.serialOf(pointer) === serial) this.#cache.set(pointer, serial, text);
    return text;
  }

  /** A copy of the bytes that a pointer leads to; see `text`. */
  bytes(pointer: number): Uint8Array {
    return this.#fetch(pointer) ? this.#copy.toBytes() : new Uint8Array(0);
  }

  /** The first four bytes of the value at a pointer that counts, zero-padded. */
  firstWord(pointer: number): number {
    const { words } = this.#arena;
    const bytes = (words[pointer + Head.Length]! & LENGTH_MASK) - 1;
    return bytes > 0 ? words[pointer + HEAD_WORDS]! : 0;
  }

  /** Of the value at a pointer that counts, which is the same in all graphs. */
  hashOf(pointer: number): number {
    return this.#arena.words[pointer + Head.Hash]!;
  }

  /** For the index: whether the value at a pointer is the one looked for. */
  matches(pointer: number): boolean {
    const start = pointer + HEAD_WORDS;
    if (!this.#cover(start + this.#sought.wordCount)) return false;
    const { words } = this.#arena;
    if (words[pointer + Head.Length] !== this.#soughtLength) return false;
    return this.#sought.equals(words, start);
  }

  #seekText(text: string): number {
    this.#sought.setText(text);
    this.#soughtLength = this.#sought.bytes + 1;
    return this.#sought.hash();
  }

  #seekBytes(bytes: Uint8Array): number {
    this.#sought.setBytes(bytes);
    this.#soughtLength = ((this.#sought.bytes + 1) | BYTES_KIND) >>> 0;
    return this.#sought.hash(BYTES_HASH);
  }

  #internSought(hash: number): number {
    const writer = this.#writer;
    const found = this.#index.find(hash, this);
    if (found !== 0) {
      writer.add(this.#arena, found + Head.References, 1);
      return found;
    }
    const count = HEAD_WORDS + this.#sought.wordCount;
    const pointer = this.#blocks.allocate(writer, this.#blocks.classFor(count));
    const { words } = this.#arena;
    words[pointer + Head.References] = 1;
    words[pointer + Head.Length] = this.#soughtLength;
    words[pointer + Head.Hash] = hash;
    words[pointer + Head.Serial] = this.#nextSerial();
    this.#sought.copyTo(words, pointer + HEAD_WORDS);
    writer.wrote(this.#arena, pointer, count);
    this.#index.add(hash, pointer);
    writer.add(this.#header, Header.StringCount, 1);
    return pointer;
  }

  /** Only ever raised, also when the mutation is undone. */
  #nextSerial(): number {
    return Atomics.add(this.#header.ints, Header.StringSerial, 1) + 1;
  }

  /** Copies a value; false if there can be none. */
  #fetch(pointer: number): boolean {
    if (!this.#cover(pointer + HEAD_WORDS)) return false;
    const bytes = (this.#arena.words[pointer + Head.Length]! & LENGTH_MASK) - 1;
    const start = pointer + HEAD_WORDS;
    if (bytes < 0 || bytes > MAX_STRING || !this.#cover(start + wordsFor(bytes))) return false;
    this.#copy.setWords(this.#arena.words, start, bytes);
    return true;
  }

  /** True if the arena holds so many words; others may have let it grow. */
  #cover(words: number): boolean {
    if (words <= this.#arena.words.length) return true;
    this.#writer.memory.refresh();
    return words <= this.#arena.words.length;
  }
}
