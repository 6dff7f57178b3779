// Vertices of each type as a dense list of handles. `RecordWord.TypePosition` is the position of a
// vertex in its list; removal moves the last vertex there, in constant time.
//
//   LISTS  heads by type code: {directory, its size class, pages, vertices}
//          directory: pointers to pages       page: 1024 handles
//
// Pages never move, so a long list grows without copying.

import { assert } from "../../base/assert.js";
import type { Arena } from "../memory/arena.js";
import { BlockAllocator } from "../memory/block-allocator.js";
import { Header, LIST_UNIT_WORDS, RECORD_WORDS, RecordWord } from "../memory/layout.js";
import type { Writer } from "../memory/writer.js";

const TYPES = 256;
const HEAD_WORDS = 4;
const Head = { Directory: 0, DirectoryClass: 1, Pages: 2, Count: 3 } as const;
const PAGE_SHIFT = 10;
const PAGE_WORDS = 1 << PAGE_SHIFT;
const PAGE_MASK = PAGE_WORDS - 1;
const FIRST_PAGES = 16;
/** Fewer words are copied by a loop, because creating a view costs more. */
const VIEW_ABOVE = 128;

export class TypeLists {
  readonly #writer: Writer;
  readonly #header: Arena;
  readonly #lists: Arena;
  readonly #record: Arena;
  readonly #blocks: BlockAllocator;
  readonly #pageClass: number;

  constructor(writer: Writer) {
    this.#writer = writer;
    this.#header = writer.memory.header;
    this.#lists = writer.memory.lists;
    this.#record = writer.memory.record;
    this.#blocks = new BlockAllocator(this.#lists, LIST_UNIT_WORDS);
    this.#pageClass = this.#blocks.classFor(PAGE_WORDS);
  }

  /** Initializes empty lists. Requires a mutation. */
  format(): void {
    const writer = this.#writer;
    const words = TYPES * HEAD_WORDS;
    const heads = this.#blocks.allocate(writer, this.#blocks.classFor(words));
    for (let word = 0; word < words; word++) writer.put(this.#lists, heads + word, 0);
    writer.put(this.#header, Header.TypeLists, heads);
  }

  count(type: number): number {
    return this.#lists.words[this.#headOf(type) + Head.Count]!;
  }

  /** Appends a vertex. Requires a mutation. */
  add(type: number, handle: number): void {
    const writer = this.#writer;
    const head = this.#headOf(type);
    const position = this.count(type);
    if (position >> PAGE_SHIFT === this.#lists.words[head + Head.Pages]!) this.#addPage(head);
    writer.put(this.#lists, this.#wordOf(head, position), handle);
    writer.put(this.#lists, head + Head.Count, position + 1);
    writer.put(this.#record, handle * RECORD_WORDS + RecordWord.TypePosition, position);
  }

  /** Removes a vertex. Requires a mutation. */
  remove(type: number, handle: number): void {
    const writer = this.#writer;
    const head = this.#headOf(type);
    const last = this.count(type) - 1;
    const position = this.#record.words[handle * RECORD_WORDS + RecordWord.TypePosition]!;
    assert(
      last >= 0 && this.#lists.words[this.#wordOf(head, position)] === handle,
      "a vertex is in the list of its type",
    );
    if (position !== last) {
      const moved = this.#lists.words[this.#wordOf(head, last)]!;
      writer.put(this.#lists, this.#wordOf(head, position), moved);
      // Read only under the mutex, so the moved vertex need not be touched.
      writer.put(this.#record, moved * RECORD_WORDS + RecordWord.TypePosition, position);
    }
    writer.put(this.#lists, head + Head.Count, last);
    // One spare page stays, so a list that alternates around a page boundary does no work.
    const pages = this.#lists.words[head + Head.Pages]!;
    if (last <= (pages - 2) * PAGE_WORDS) this.#removePage(head, pages - 1);
  }

  /**
   * Copies up to `limit` handles at the positions before `end`; returns their number. When
   * walking down from `count`, a vertex that moves meanwhile may be returned twice, but none is
   * missed.
   */
  copyBefore(type: number, end: number, into: Uint32Array, limit = into.length): number {
    const writer = this.#writer;
    writer.beginReading();
    try {
      const head = this.#headOf(type);
      const stop = Math.min(end, this.count(type));
      const start = Math.max(0, stop - limit);
      for (let position = start; position < stop; ) {
        const from = this.#wordOf(head, position);
        const length = Math.min(stop - position, PAGE_WORDS - (position & PAGE_MASK));
        copyWords(this.#lists.words, from, into, position - start, length);
        position += length;
      }
      return stop - start;
    } finally {
      writer.end();
    }
  }

  #headOf(type: number): number {
    return this.#header.words[Header.TypeLists]! + (type & (TYPES - 1)) * HEAD_WORDS;
  }

  #wordOf(head: number, position: number): number {
    const { words } = this.#lists;
    return words[words[head]! + (position >>> PAGE_SHIFT)]! + (position & PAGE_MASK);
  }

  #addPage(head: number): void {
    const writer = this.#writer;
    const page = this.#blocks.allocate(writer, this.#pageClass);
    const pages = this.#lists.words[head + Head.Pages]!;
    const capacity = this.#capacityOf(head);
    if (pages === capacity) this.#moveDirectory(head, Math.max(FIRST_PAGES, pages * 2));
    writer.put(this.#lists, this.#lists.words[head]! + pages, page);
    writer.put(this.#lists, head + Head.Pages, pages + 1);
  }

  #removePage(head: number, pages: number): void {
    const { words } = this.#lists;
    this.#blocks.free(this.#writer, words[words[head]! + pages]!, this.#pageClass);
    this.#writer.put(this.#lists, head + Head.Pages, pages);
  }

  #capacityOf(head: number): number {
    const { words } = this.#lists;
    if (words[head] === 0) return 0;
    return this.#blocks.blockWords(words[head + Head.DirectoryClass]!);
  }

  #moveDirectory(head: number, pages: number): void {
    const writer = this.#writer;
    const sizeClass = this.#blocks.classFor(pages);
    const directory = this.#blocks.allocate(writer, sizeClass);
    const { words } = this.#lists;
    const old = words[head]!;
    const used = words[head + Head.Pages]!;
    if (old !== 0) {
      words.copyWithin(directory, old, old + used);
      writer.markDirty(this.#lists, directory, used);
      this.#blocks.free(writer, old, words[head + Head.DirectoryClass]!);
    }
    writer.put(this.#lists, head + Head.Directory, directory);
    writer.put(this.#lists, head + Head.DirectoryClass, sizeClass);
  }
}

/** Copies few words faster than `set`, which needs a view. */
function copyWords(
  words: Uint32Array,
  from: number,
  into: Uint32Array,
  to: number,
  length: number,
): void {
  if (length > VIEW_ABOVE) into.set(words.subarray(from, from + length), to);
  else for (let word = 0; word < length; word++) into[to + word] = words[from + word]!;
}
