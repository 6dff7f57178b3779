// Vertices by unique value of a property of a type. Most unique values are texts that occur once in
// the graph. Their vertices are stored in an array parallel to the texts, which saves the cache
// miss of a hash table.
//
//   INDEX         hash table: hash of type, key and value -> vertex
//   TEXT_OWNERS   a word for each four words of STRINGS: vertex with the text that starts there
//
// Dropped constraints leave outdated owners behind, so the matcher of a search compares the value
// of an owner.

import type { Arena } from "../memory/arena.js";
import { Header } from "../memory/layout.js";
import type { SeqlockReader } from "../memory/seqlock-reader.js";
import type { Writer } from "../memory/writer.js";
import { type EntryMatcher, HashIndex } from "./hash-index.js";

/** Log2 of the minimum words of a text with its head. */
const OWNED_SHIFT = 2;
/** The array of owners grows in steps, so that most additions need not change the header. */
const STEP_WORDS = 2 ** 12;

export class UniqueValues {
  readonly #writer: Writer;
  readonly #header: Arena;
  readonly #owners: Arena;
  readonly #table: HashIndex;

  constructor(writer: Writer, reader: SeqlockReader) {
    this.#writer = writer;
    this.#header = writer.memory.header;
    this.#owners = writer.memory.textOwners;
    this.#table = new HashIndex(writer, reader, Header.UniqueSegments, Header.UniqueSequence);
  }

  /** Forgets all values when their memory is cleared as a whole. Requires a mutation. */
  format(): void {
    this.#writer.put(this.#header, Header.UniqueSegments, 0);
  }

  /** Removes all values; outdated owners stay. Requires a mutation. */
  drop(): void {
    this.#table.drop();
  }

  /** Makes a vertex the owner of a text that no other vertex has. Requires a mutation. */
  own(text: number, vertex: number): void {
    const at = text >>> OWNED_SHIFT;
    if (at >= this.#header.words[Header.TextOwnersEnd]!) this.#extend(at + 1);
    this.#writer.put(this.#owners, at, vertex);
  }

  /**
   * Adds a value that other vertices may have. Requires a mutation.
   * @param text pointer of a text, 0 for other values
   * @returns whether other vertices may have the value
   * @throws CapacityError
   */
  add(hash: number, vertex: number, text: number): boolean {
    if (this.#header.words[Header.UniqueSegments] === 0) this.#table.format();
    return this.#table.add(hash, vertex) > 0 || this.#ownerOf(text) !== 0;
  }

  /** Removes a value of a vertex. Requires a mutation. */
  remove(hash: number, vertex: number, text: number): void {
    const isOwner = this.#ownerOf(text) === vertex;
    // The vertex may own the text for another property.
    const isListed = { matches: (entry: number) => entry === vertex };
    if (isOwner && this.#find(hash, isListed) === 0) {
      this.#writer.put(this.#owners, text >>> OWNED_SHIFT, 0);
    } else this.#table.remove(hash, vertex);
  }

  /** Returns the vertex with a value that the matcher accepts, or 0. */
  find(hash: number, text: number, matcher: EntryMatcher): number {
    const owner = this.#ownerOf(text);
    return owner !== 0 && matcher.matches(owner) ? owner : this.#find(hash, matcher);
  }

  #find(hash: number, matcher: EntryMatcher): number {
    return this.#header.words[Header.UniqueSegments] === 0 ? 0 : this.#table.find(hash, matcher);
  }

  /** Returns 0 for a text without an owner, and for 0. */
  #ownerOf(text: number): number {
    const at = text >>> OWNED_SHIFT;
    return at < this.#header.words[Header.TextOwnersEnd]! ? this.#owners.words[at]! : 0;
  }

  #extend(words: number): void {
    const end = Math.ceil(words / STEP_WORDS) * STEP_WORDS;
    this.#writer.ensureWords(this.#owners, end);
    this.#writer.put(this.#header, Header.TextOwnersEnd, end);
  }
}
