// Skip list: ordered list of vertices in shared memory, some twenty steps per lookup among a
// million entries. All access, including reads, requires the writer mutex, so it needs no
// sequences; changes are undoable.
//
//   LISTS   {a, b, c, vertex, level, next by level ...}: one unit of 16 words an entry, so that all
//           have the same size; a quarter of the entries of a level are also on the next one
//
// Entries are ordered by a, b and c, then by vertex.

import type { Arena } from "../memory/arena.js";
import { BlockAllocator } from "../memory/block-allocator.js";
import { LIST_UNIT_WORDS } from "../memory/layout.js";
import type { Writer } from "../memory/writer.js";

export const Entry = { A: 0, B: 1, C: 2, Vertex: 3, Level: 4, Next: 5 } as const;
const LEVELS = LIST_UNIT_WORDS - Entry.Next;
const SIZE_CLASS = 0;
/** One in 4 entries is promoted to the next level. */
const UP = 4;
/** Entries of a level that an estimate is based on: its standard deviation is an eighth. */
const MIN_COUNTED = 64;

/** Sort key; `vertex` 0 precedes and `MAX_VERTEX` follows all vertices. */
export interface IndexKey {
  a: number;
  b: number;
  c: number;
  vertex: number;
}
export const MAX_VERTEX = 0xffff_ffff;

export class SkipList {
  readonly #writer: Writer;
  readonly #lists: Arena;
  readonly #blocks: BlockAllocator;
  /** By level: the last entry before the key of the last `#seek`. */
  readonly #before = new Uint32Array(LEVELS);

  constructor(writer: Writer) {
    this.#writer = writer;
    this.#lists = writer.memory.lists;
    this.#blocks = new BlockAllocator(this.#lists, LIST_UNIT_WORDS);
  }

  /** Creates an empty list; returns its head. Requires a mutation. */
  make(): number {
    return this.#allocate({ a: 0, b: 0, c: 0, vertex: 0 }, LEVELS);
  }

  /** Frees a list and its entries. Requires a mutation. */
  free(head: number): void {
    for (let entry = head; entry !== 0; ) {
      const next = this.#lists.words[entry + Entry.Next]!;
      this.#blocks.free(this.#writer, entry, SIZE_CLASS);
      entry = next;
    }
  }

  /** Adds an entry that does not exist yet. Requires a mutation. */
  add(head: number, key: IndexKey): void {
    this.#seek(head, key);
    let level = 1;
    while (level < LEVELS && Math.random() * UP < 1) level++;
    const node = this.#allocate(key, level);
    const { words } = this.#lists;
    for (let at = 0; at < level; at++) {
      const link = this.#before[at]! + Entry.Next + at;
      words[node + Entry.Next + at] = words[link]!;
      this.#writer.put(this.#lists, link, node);
    }
  }

  /** Removes an entry; returns false if absent. Requires a mutation. */
  remove(head: number, key: IndexKey): boolean {
    this.#seek(head, key);
    const { words } = this.#lists;
    const found = words[this.#before[0]! + Entry.Next]!;
    if (found === 0 || this.#order(found, key) !== 0) return false;
    const level = words[found + Entry.Level]!;
    for (let at = 0; at < level; at++) {
      const link = this.#before[at]! + Entry.Next + at;
      this.#writer.put(this.#lists, link, words[found + Entry.Next + at]!);
    }
    this.#blocks.free(this.#writer, found, SIZE_CLASS);
    return true;
  }

  /**
   * Returns the vertices of a half-open range in order; null if there are more than `limit`.
   * Requires the mutex.
   */
  between(head: number, from: IndexKey, to: IndexKey, limit: number): number[] | null {
    this.#seek(head, from);
    const { words } = this.#lists;
    const found: number[] = [];
    let entry = words[this.#before[0]! + Entry.Next]!;
    for (; entry !== 0 && this.#order(entry, to) < 0; entry = words[entry + Entry.Next]!) {
      if (found.length === limit) return null;
      found.push(words[entry + Entry.Vertex]!);
    }
    return found;
  }

  /**
   * Returns the approximate number of vertices of a half-open range, from the highest level that
   * has some entries of it. Requires the mutex.
   */
  estimate(head: number, from: IndexKey, to: IndexKey): number {
    this.#seek(head, from);
    const { words } = this.#lists;
    for (let level = LEVELS - 1; ; level--) {
      const next = Entry.Next + level;
      let count = 0;
      let entry = words[this.#before[level]! + next]!;
      for (; entry !== 0 && this.#order(entry, to) < 0; entry = words[entry + next]!) count++;
      if (level === 0 || count >= MIN_COUNTED) return count * UP ** level;
    }
  }

  /** Finds the last entry before a key, on each level. */
  #seek(head: number, key: IndexKey): void {
    const { words } = this.#lists;
    let entry = head;
    for (let level = LEVELS - 1; level >= 0; level--) {
      for (;;) {
        const next = words[entry + Entry.Next + level]!;
        if (next === 0 || this.#order(next, key) >= 0) break;
        entry = next;
      }
      this.#before[level] = entry;
    }
  }

  /** Returns a negative number if the entry precedes the key, 0 if equal. */
  #order(entry: number, { a, b, c, vertex }: IndexKey): number {
    const { words } = this.#lists;
    return (
      words[entry]! - a ||
      words[entry + Entry.B]! - b ||
      words[entry + Entry.C]! - c ||
      words[entry + Entry.Vertex]! - vertex
    );
  }

  #allocate({ a, b, c, vertex }: IndexKey, level: number): number {
    const node = this.#blocks.allocate(this.#writer, SIZE_CLASS);
    const { words } = this.#lists;
    words.fill(0, node, node + LIST_UNIT_WORDS);
    words[node + Entry.A] = a;
    words[node + Entry.B] = b;
    words[node + Entry.C] = c;
    words[node + Entry.Vertex] = vertex;
    words[node + Entry.Level] = level;
    return node;
  }
}
