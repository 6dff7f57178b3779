// Block allocator of one arena: two size classes per octave (1, 2, 3, 4, 6, 8, 12, 16, 24, ...
// units), one free list per class, linked through the first word of each free block. Its state lies
// in the graph header, so any thread can allocate, and is changed through the writer, so it can be
// rolled back. Requires the writer mutex.

import { assert } from "../../base/assert.js";
import { type Arena, MAX_ARENA_WORDS } from "./arena.js";
import { ALLOCATOR_WORDS, ALLOCATORS } from "./layout.js";
import type { Allocator, Writer } from "./writer.js";

/** Word 0 is the bump pointer; the heads of the free lists follow. */
const FREE_LISTS = 1;
/** Last word of the state: words in free blocks. */
const FREE_WORDS = ALLOCATOR_WORDS - 1;

export class BlockAllocator implements Allocator {
  readonly arena: Arena;
  readonly #unitWords: number;
  readonly #state: number;

  /** @param unitWords words of the smallest block */
  constructor(arena: Arena, unitWords: number) {
    this.arena = arena;
    this.#unitWords = unitWords;
    this.#state = ALLOCATORS + arena.id * ALLOCATOR_WORDS;
  }

  /**
   * Returns the offset of a block of a size class. Its first word is 0, the others are undefined.
   * The whole block is marked dirty in advance, because the thread may die while filling it.
   */
  allocate(writer: Writer, sizeClass: number): number {
    const { header } = writer.memory;
    const list = this.#state + FREE_LISTS + sizeClass;
    const words = this.blockWords(sizeClass);
    const freed = header.words[list]!;
    if (freed !== 0) {
      assert(this.#isBlock(header.words, freed, words), "a free block was allocated before");
      writer.put(header, list, this.arena.words[freed]!);
      writer.put(header, this.#state + FREE_WORDS, this.freeWords(writer) - words);
      writer.put(this.arena, freed, 0);
      writer.markDirty(this.arena, freed, words);
      return freed;
    }
    // Offset 0 is the null reference, so it is never allocated.
    const block = header.words[this.#state]! || this.#unitWords;
    writer.ensureWords(this.arena, block + words);
    writer.put(header, this.#state, block + words);
    writer.markDirty(this.arena, block, words);
    this.arena.words[block] = 0;
    return block;
  }

  /** Returns false if `allocate` would find the arena full. */
  hasRoom(writer: Writer, sizeClass: number): boolean {
    const { words } = writer.memory.header;
    if (words[this.#state + FREE_LISTS + sizeClass] !== 0) return true;
    const most = Math.min(MAX_ARENA_WORDS, this.arena.capacity);
    return words[this.#state]! + this.blockWords(sizeClass) <= most;
  }

  /** Frees a block at the commit; until then it is neither changed nor reused. */
  free(writer: Writer, block: number, sizeClass: number): void {
    writer.freeAtCommit(this, block, sizeClass);
  }

  /** Called by the writer during the commit. */
  release(writer: Writer, block: number, sizeClass: number): void {
    const { header } = writer.memory;
    const list = this.#state + FREE_LISTS + sizeClass;
    const words = this.blockWords(sizeClass);
    assert(this.#isBlock(header.words, block, words), "a freed block was allocated before");
    writer.put(this.arena, block, header.words[list]!);
    writer.put(header, list, block);
    const freed = this.freeWords(writer) + words;
    writer.put(header, this.#state + FREE_WORDS, freed);
  }

  blockWords(sizeClass: number): number {
    return blockUnits(sizeClass) * this.#unitWords;
  }

  /** Returns the smallest size class that holds `words` words. */
  classFor(words: number): number {
    return sizeClassFor(Math.ceil(words / this.#unitWords));
  }

  /** Words allocated so far, including freed ones: the extent a snapshot must contain. */
  usedWords(writer: Writer): number {
    return writer.memory.header.words[this.#state]!;
  }

  freeWords(writer: Writer): number {
    return writer.memory.header.words[this.#state + FREE_WORDS]!;
  }

  /** Returns whether a block lies below the bump pointer, at a multiple of the unit. */
  #isBlock(header: Uint32Array, block: number, words: number): boolean {
    return block > 0 && block % this.#unitWords === 0 && block + words <= header[this.#state]!;
  }
}

/** Returns the units of a block of a size class. */
export function blockUnits(sizeClass: number): number {
  if (sizeClass === 0) return 1;
  const half = sizeClass >>> 1;
  return (sizeClass & 1) === 1 ? 2 << half : 3 << (half - 1);
}

/** Returns the smallest size class of at least `units` units. */
function sizeClassFor(units: number): number {
  if (units <= 1) return 0;
  // 2^octave <= units - 1 < 2^(octave + 1)
  const octave = 31 - Math.clz32(units - 1);
  const middle = 3 << (octave - 1);
  if (octave > 0 && units <= middle) return octave << 1;
  return (octave << 1) + 1;
}
