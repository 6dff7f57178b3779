// Location of property cells. 32 vertices with consecutive handles form a group; per key that any
// of them has, the group has a bitmap and one cell per set bit:
//
//   GROUPS  {sequence, table}                                           2 words a group
//   CELLS   table: {keys | size class << 16, then by ascending key
//                   {key | size class of cells << 16, bitmap, cells}}
//           cells: {low word, high word} of each vertex in the bitmap, in the order of its bits
//
// The sequence is a seqlock for the whole group, so readers never read the cell of another vertex
// after a move. Everything read between `enter` and `leave` is untrusted and checked
// against the arena; it is valid only if `leave` returns true.

import { assert } from "../../base/assert.js";
import type { Arena } from "../memory/arena.js";
import { bitCount } from "../memory/bit-count.js";
import { BlockAllocator, blockUnits } from "../memory/block-allocator.js";
import type { SeqlockReader } from "../memory/seqlock-reader.js";
import type { Writer } from "../memory/writer.js";

const GROUP_SHIFT = 5;
const GROUP_WORDS = 2;
const BIT_MASK = 31;
const ENTRY_WORDS = 3;
export const CELL_WORDS = 2;
const LOW_MASK = 0xffff;
const CLASS_SHIFT = 16;
/** More words are copied to a new block instead, where they need no undo entries. */
const MAX_SHIFTED_WORDS = 16;
/** Returns the group number of a vertex; one seqlock protects a group. */
export function getGroup(vertex: number): number {
  return vertex >>> GROUP_SHIFT;
}

/** Returns the bit of a vertex in the bitmaps of its group. */
export function getGroupBit(vertex: number): number {
  return vertex & BIT_MASK;
}

/** Token of `enter` without a group; the reader's own tokens are -1 and -2. */
const NO_GROUP = -3;

export class PropertyGroups {
  /** Tables and cells; do not keep offsets across mutations. */
  readonly cells: Arena;
  readonly #groups: Arena;
  readonly #blocks: BlockAllocator;
  readonly #writer: Writer;
  readonly #reader: SeqlockReader;
  #floats: Float64Array = new Float64Array(0);
  #floatsOf: Uint32Array | null = null;
  /** True if a value read since `enter` is impossible. */
  #isTorn = false;

  constructor(writer: Writer, reader: SeqlockReader) {
    this.#writer = writer;
    this.#reader = reader;
    this.#groups = writer.memory.groups;
    this.cells = writer.memory.cells;
    this.#blocks = new BlockAllocator(this.cells, CELL_WORDS);
  }

  /**
   * Drops all tables when their arena is cleared as a whole. Writes no undo entries: recovery
   * repeats an interrupted clear instead of rolling it back. Requires a mutation.
   * @param end first handle above those of all vertices
   */
  clear(end: number): void {
    const { words, ints } = this.#groups;
    const length = Math.min(words.length, sequenceOf(end - 1) + GROUP_WORDS);
    for (let index = 0; index < length; index += GROUP_WORDS) {
      if (words[index + 1] === 0) continue;
      words[index + 1] = 0;
      Atomics.add(ints, index, 2);
    }
    this.#writer.markDirty(this.#groups, 0, length);
  }

  /** Starts a read of all properties of a vertex, as `SeqlockReader.enter`. */
  enter(vertex: number, attempt: number): number {
    const index = sequenceOf(vertex);
    this.#isTorn = false;
    if (index >= this.#groups.words.length) this.#writer.memory.refresh();
    // No vertex beyond the last group has properties.
    if (index >= this.#groups.words.length) return NO_GROUP;
    return this.#reader.enterWord(this.#groups, index, attempt);
  }

  /** Validates a read, as `SeqlockReader.leave`. */
  leave(vertex: number, seen: number): boolean {
    if (seen === NO_GROUP) return true;
    return this.#reader.leaveWord(this.#groups, sequenceOf(vertex), seen) && !this.#isTorn;
  }

  /** Returns the offset of a cell's low word, 0 if the vertex lacks the property. */
  find(vertex: number, key: number): number {
    const entry = this.entryOf(vertex, key);
    return entry === 0 ? 0 : this.cellAt(entry, vertex & BIT_MASK);
  }

  /** Returns the entry of a key in the group of a vertex, or 0. */
  entryOf(vertex: number, key: number): number {
    const table = this.#tableOf(vertex);
    return table === 0 ? 0 : this.#entryOf(table, key);
  }

  /** Returns the bitmap of an entry: a bit per vertex that has the key; see `getGroupBit`. */
  bitmapOf(entry: number): number {
    return this.cells.words[entry + 1]!;
  }

  /** Returns the offset of the cells of an entry, one per set bit; 0 if torn. */
  cellsOf(entry: number): number {
    const { words } = this.cells;
    return this.#validate(words[entry + 2]!, CELL_WORDS * bitCount(words[entry + 1]!));
  }

  /** The cells as numbers, at half their offset: cells are aligned to 8 bytes. */
  get floats(): Float64Array {
    const { words } = this.cells;
    if (words !== this.#floatsOf) {
      this.#floatsOf = words;
      this.#floats = new Float64Array(words.buffer, words.byteOffset, words.length >>> 1);
    }
    return this.#floats;
  }

  /** Variant of `find` for a known entry and bit. */
  cellAt(entry: number, bit: number): number {
    const { words } = this.cells;
    const bitmap = words[entry + 1]!;
    const mask = 1 << bit;
    if ((bitmap & mask) === 0) return 0;
    return this.#validate(
      words[entry + 2]! + CELL_WORDS * bitCount(bitmap & (mask - 1)),
      CELL_WORDS,
    );
  }

  /** Returns {key, offset of its cell} for each property of a vertex. */
  list(vertex: number): number[] {
    const found: number[] = [];
    const table = this.#tableOf(vertex);
    if (table === 0) return found;
    const { words } = this.cells;
    const bit = 1 << (vertex & BIT_MASK);
    const end = table + 1 + ENTRY_WORDS * this.#keysOf(table);
    for (let entry = table + 1; entry < end; entry += ENTRY_WORDS) {
      const bitmap = words[entry + 1]!;
      if ((bitmap & bit) === 0) continue;
      const cell = words[entry + 2]! + CELL_WORDS * bitCount(bitmap & (bit - 1));
      found.push(words[entry]! & LOW_MASK, this.#validate(cell, CELL_WORDS));
    }
    return found;
  }

  /** Returns the first key of a vertex from `minKey` on; -1: there is none. */
  keyFrom(vertex: number, minKey: number): number {
    const table = this.#tableOf(vertex);
    if (table === 0) return -1;
    const { words } = this.cells;
    const bit = 1 << (vertex & BIT_MASK);
    const count = this.#keysOf(table);
    const end = table + 1 + ENTRY_WORDS * count;
    for (let at = this.#entryFrom(table, count, minKey); at < end; at += ENTRY_WORDS) {
      if ((words[at + 1]! & bit) !== 0) return words[at]! & LOW_MASK;
    }
    return -1;
  }

  /** Makes readers of the group wait for the commit. Requires a mutation. */
  touch(vertex: number): void {
    const index = sequenceOf(vertex);
    this.#writer.ensureWords(this.#groups, index + GROUP_WORDS);
    this.#writer.touchWord(this.#groups, index);
  }

  /** Creates the cell of a missing property; returns its offset. Requires `touch` before. */
  insert(vertex: number, key: number): number {
    const table = this.#tableOf(vertex);
    const entry = (table === 0 ? 0 : this.#entryOf(table, key)) || this.#addKey(vertex, table, key);
    const { cells } = this;
    const bitmap = cells.words[entry + 1]!;
    const bit = 1 << (vertex & BIT_MASK);
    assert((bitmap & bit) === 0, "an inserted property is missing");
    const count = bitCount(bitmap);
    const rank = bitCount(bitmap & (bit - 1));
    this.#writer.put(cells, entry + 1, (bitmap | bit) >>> 0);
    const isFull = count === blockUnits(cells.words[entry]! >>> CLASS_SHIFT);
    if (isFull || (count - rank) * CELL_WORDS > MAX_SHIFTED_WORDS) {
      this.#moveCells(entry, count, rank, 1);
    } else {
      const block = cells.words[entry + 2]!;
      for (
        let index = block + CELL_WORDS * count - 1;
        index >= block + CELL_WORDS * rank;
        index--
      ) {
        this.#writer.put(cells, index + CELL_WORDS, cells.words[index]!);
      }
    }
    return cells.words[entry + 2]! + CELL_WORDS * rank;
  }

  /** Removes the cell of an existing property. Requires `touch` before. */
  remove(vertex: number, key: number): void {
    const { cells } = this;
    const table = this.#tableOf(vertex);
    const entry = this.#entryOf(table, key);
    const bitmap = cells.words[entry + 1]!;
    const bit = 1 << (vertex & BIT_MASK);
    assert(entry !== 0 && (bitmap & bit) !== 0, "a removed property exists");
    const count = bitCount(bitmap) - 1;
    const rank = bitCount(bitmap & (bit - 1));
    if (count === 0) {
      this.#removeKey(vertex, table, entry);
      return;
    }
    this.#writer.put(cells, entry + 1, (bitmap & ~bit) >>> 0);
    const sizeClass = cells.words[entry]! >>> CLASS_SHIFT;
    // Hysteresis of two size classes, so an alternating property does not move the others.
    const isLarge = this.#blocks.classFor(count * CELL_WORDS) <= sizeClass - 2;
    if (isLarge || (count - rank) * CELL_WORDS > MAX_SHIFTED_WORDS) {
      this.#moveCells(entry, count + 1, rank, -1);
      return;
    }
    const block = cells.words[entry + 2]!;
    for (let index = block + CELL_WORDS * rank; index < block + CELL_WORDS * count; index++) {
      this.#writer.put(cells, index, cells.words[index + CELL_WORDS]!);
    }
  }

  #tableOf(vertex: number): number {
    return this.#groups.words[sequenceOf(vertex) + 1] ?? 0;
  }

  /** Returns the number of keys of a table, 0 if it cannot be a table. */
  #keysOf(table: number): number {
    const count = (this.cells.words[table] ?? 0) & LOW_MASK;
    return this.#validate(table, 1 + ENTRY_WORDS * count) === 0 ? 0 : count;
  }

  /** Returns an offset if `words` words lie within this thread's view, else 0. */
  #validate(index: number, words: number): number {
    if (index + words <= this.cells.words.length) return index;
    this.#isTorn = true;
    return 0;
  }

  /** Returns the offset of the entry of a key, or 0. */
  #entryOf(table: number, key: number): number {
    const count = this.#keysOf(table);
    const entry = this.#entryFrom(table, count, key);
    if (entry === table + 1 + ENTRY_WORDS * count) return 0;
    return (this.cells.words[entry]! & LOW_MASK) === key ? entry : 0;
  }

  /** Returns the offset of the first entry with a key of at least `key`. */
  #entryFrom(table: number, count: number, key: number): number {
    const { words } = this.cells;
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((words[table + 1 + ENTRY_WORDS * middle]! & LOW_MASK) < key) low = middle + 1;
      else high = middle;
    }
    return table + 1 + ENTRY_WORDS * low;
  }

  /** Replaces a table by one with an additional key; returns the entry. */
  #addKey(vertex: number, table: number, key: number): number {
    const count = table === 0 ? 0 : this.#keysOf(table);
    const before = table === 0 ? 0 : this.#entryFrom(table, count, key) - table - 1;
    const cells = this.#blocks.allocate(this.#writer, 0);
    const newTable = this.#copyTable(table, count, before, 1);
    const { words } = this.cells;
    const entry = newTable + 1 + before;
    words[entry] = key;
    words[entry + 1] = 0;
    words[entry + 2] = cells;
    this.#setTable(vertex, table, newTable);
    return entry;
  }

  /** Frees an entry's cells and replaces the table by one without it. */
  #removeKey(vertex: number, table: number, entry: number): void {
    const { words } = this.cells;
    this.#blocks.free(this.#writer, words[entry + 2]!, words[entry]! >>> CLASS_SHIFT);
    const count = this.#keysOf(table);
    const newTable = count === 1 ? 0 : this.#copyTable(table, count, entry - table - 1, -1);
    this.#setTable(vertex, table, newTable);
  }

  /** Copies a table, inserting or leaving out one entry after `before` words. */
  #copyTable(table: number, count: number, before: number, change: 1 | -1): number {
    const size = 1 + ENTRY_WORDS * (count + change);
    const sizeClass = this.#blocks.classFor(size);
    const newTable = this.#blocks.allocate(this.#writer, sizeClass);
    const { words } = this.cells;
    words[newTable] = (count + change) | (sizeClass << CLASS_SHIFT);
    const gap = change * ENTRY_WORDS;
    copyWithGap(words, table + 1, newTable + 1, count * ENTRY_WORDS, before, gap);
    this.#writer.markDirty(this.cells, newTable, size);
    return newTable;
  }

  #setTable(vertex: number, old: number, newTable: number): void {
    this.#writer.put(this.#groups, sequenceOf(vertex) + 1, newTable);
    if (old !== 0) {
      this.#blocks.free(this.#writer, old, this.cells.words[old]! >>> CLASS_SHIFT);
    }
  }

  /** Moves an entry's cells to another block, inserting or leaving out one at `rank`. */
  #moveCells(entry: number, count: number, rank: number, change: 1 | -1): void {
    const { cells } = this;
    const size = (count + change) * CELL_WORDS;
    const sizeClass = this.#blocks.classFor(size);
    const newTable = this.#blocks.allocate(this.#writer, sizeClass);
    const { words } = cells;
    const old = words[entry + 2]!;
    copyWithGap(words, old, newTable, count * CELL_WORDS, rank * CELL_WORDS, change * CELL_WORDS);
    this.#writer.markDirty(cells, newTable, size);
    this.#blocks.free(this.#writer, old, words[entry]! >>> CLASS_SHIFT);
    this.#writer.put(cells, entry, (words[entry]! & LOW_MASK) | (sizeClass << CLASS_SHIFT));
    this.#writer.put(cells, entry + 2, newTable);
  }
}

/** Returns the offset of a group's sequence in GROUPS; the next word points to its table. */
function sequenceOf(vertex: number): number {
  return (vertex >>> GROUP_SHIFT) * GROUP_WORDS;
}

/** Copies `count` words, inserting a gap at `split`, or leaving words out for a negative gap. */
function copyWithGap(
  words: Uint32Array,
  source: number,
  target: number,
  count: number,
  split: number,
  gap: number,
): void {
  for (let word = 0; word < split; word++) words[target + word] = words[source + word]!;
  for (let word = gap < 0 ? split - gap : split; word < count; word++) {
    words[target + word + gap] = words[source + word]!;
  }
}
