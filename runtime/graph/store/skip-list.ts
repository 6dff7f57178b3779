// An ordered list of vertices in shared memory, which finds a place among a million in some twenty
// steps: a skip list. Everybody works on it with the writer's mutex, readers too, so that it needs
// no sequences; what a mutation changes is undone like anything else.
//
//   LISTS   {a, b, c, vertex, level, next by level ...}: one unit of 16 words an entry, so
//           that all have the same size; a quarter of those on a level are on the next one, too
//
// Entries are ordered by a, b and c, then by vertex.

import type { Arena } from "../memory/arena.js";
import { BlockAllocator } from "../memory/block-allocator.js";
import { LIST_UNIT_WORDS } from "../memory/layout.js";
import type { Writer } from "../memory/writer.js";

export const Entry = { A: 0, B: 1, C: 2, Vertex: 3, Level: 4, Next: 5 } as const;
const LEVELS = LIST_UNIT_WORDS - Entry.Next;
const SIZE_CLASS = 0;
/** A quarter goes up a level: two bits of a random number. */
const UP = 4;

/** What entries are compared with; `vertex` 0 stands before all, `MAX_VERTEX` behind them. */
export interface Place {
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
  /** By level: the last entry before the place that was looked for. */
  readonly #before = new Uint32Array(LEVELS);

  constructor(writer: Writer) {
    this.#writer = writer;
    this.#lists = writer.memory.lists;
    this.#blocks = new BlockAllocator(this.#lists, LIST_UNIT_WORDS);
  }

  /** In a mutation: an empty list, as the entry before its first one. */
  make(): number {
    return this.#allocate({ a: 0, b: 0, c: 0, vertex: 0 }, LEVELS);
  }

  /** In a mutation: gives all of a list back. */
  free(head: number): void {
    for (let entry = head; entry !== 0; ) {
      const next = this.#lists.words[entry + Entry.Next]!;
      this.#blocks.free(this.#writer, entry, SIZE_CLASS);
      entry = next;
    }
  }

  /** In a mutation: adds what is not there yet. */
  add(head: number, place: Place): void {
    this.#seek(head, place);
    let level = 1;
    while (level < LEVELS && Math.random() * UP < 1) level++;
    const made = this.#allocate(place, level);
    const { words } = this.#lists;
    for (let at = 0; at < level; at++) {
      const link = this.#before[at]! + Entry.Next + at;
      words[made + Entry.Next + at] = words[link]!;
      this.#writer.put(this.#lists, link, made);
    }
  }

  /** In a mutation; false if it is not there. */
  remove(head: number, place: Place): boolean {
    this.#seek(head, place);
    const { words } = this.#lists;
    const found = words[this.#before[0]! + Entry.Next]!;
    if (found === 0 || this.#order(found, place) !== 0) return false;
    const level = words[found + Entry.Level]!;
    for (let at = 0; at < level; at++) {
      const link = this.#before[at]! + Entry.Next + at;
      this.#writer.put(this.#lists, link, words[found + Entry.Next + at]!);
    }
    this.#blocks.free(this.#writer, found, SIZE_CLASS);
    return true;
  }

  /**
   * With the mutex: vertices from one place to before another one, in their order; null if there
   * are more than `limit`.
   */
  between(head: number, from: Place, to: Place, limit: number): number[] | null {
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

  /** Goes to the last entries before a place, on all levels. */
  #seek(head: number, place: Place): void {
    const { words } = this.#lists;
    let entry = head;
    for (let level = LEVELS - 1; level >= 0; level--) {
      for (;;) {
        const next = words[entry + Entry.Next + level]!;
        if (next === 0 || this.#order(next, place) >= 0) break;
        entry = next;
      }
      this.#before[level] = entry;
    }
  }

  /** Below 0: the entry stands before the place. */
  #order(entry: number, { a, b, c, vertex }: Place): number {
    const { words } = this.#lists;
    return (
      words[entry]! - a ||
      words[entry + Entry.B]! - b ||
      words[entry + Entry.C]! - c ||
      words[entry + Entry.Vertex]! - vertex
    );
  }

  #allocate({ a, b, c, vertex }: Place, level: number): number {
    const made = this.#blocks.allocate(this.#writer, SIZE_CLASS);
    const { words } = this.#lists;
    words.fill(0, made, made + LIST_UNIT_WORDS);
    words[made + Entry.A] = a;
    words[made + Entry.B] = b;
    words[made + Entry.C] = c;
    words[made + Entry.Vertex] = vertex;
    words[made + Entry.Level] = level;
    return made;
  }
}
