// Block allocator of one arena: two size classes per octave (1, 2, 3, 4, 6, 8, 12, 16, 24, ...
// units), one free list per class, linked through the first word of each free block. Compaction
// joins adjacent free blocks to holes, which serve all classes; see free-space.ts. The state lies
// in the graph header, so any thread can allocate, and is changed through the writer, so it can be
// rolled back. Requires the writer mutex.

import { assert } from "../../base/assert.js";
import { type Arena, MAX_ARENA_WORDS } from "./arena.js";
import { ALLOCATOR_WORDS, ALLOCATORS, AllocatorWord, CHUNK_WORDS } from "./layout.js";
import type { Allocator, Writer } from "./writer.js";

/** A shorter hole is added to the free lists. */
export const MIN_HOLE_WORDS = CHUNK_WORDS;
/** Maximum holes tried for a block. */
const MAX_PROBES = 16;

export class BlockAllocator implements Allocator {
  readonly arena: Arena;
  readonly #unitWords: number;
  readonly #state: number;

  /** @param unitWords words of the smallest block */
  constructor(arena: Arena, unitWords: number) {
    this.arena = arena;
    this.#unitWords = unitWords;
    this.#state = allocatorState(arena.id);
  }

  /**
   * Returns the offset of a block of a size class. Its first word is 0, the others are undefined.
   * The whole block is marked dirty in advance, because the thread may die while filling it.
   */
  allocate(writer: Writer, sizeClass: number): number {
    const words = this.blockWords(sizeClass);
    const freed = this.#takeFreed(writer, sizeClass, words);
    if (freed !== 0) return freed;
    const block = this.#takeFromHole(writer, words) || this.#extend(writer, words);
    writer.markDirty(this.arena, block, words);
    this.arena.words[block] = 0;
    return block;
  }

  /** Returns false if `allocate` would find the arena full. */
  hasRoom(writer: Writer, sizeClass: number): boolean {
    const { words } = writer.memory.header;
    const blockWords = this.blockWords(sizeClass);
    if (words[this.#state + AllocatorWord.FreeLists + sizeClass] !== 0) return true;
    const maxEnd = Math.min(MAX_ARENA_WORDS, this.arena.capacity);
    if (words[this.#state + AllocatorWord.End]! + blockWords <= maxEnd) return true;
    return this.#findHole(words, blockWords) !== 0;
  }

  /** Frees a block at the commit; until then it is neither changed nor reused. */
  free(writer: Writer, block: number, sizeClass: number): void {
    writer.freeAtCommit(this, block, sizeClass);
  }

  /** Called by the writer during the commit. */
  release(writer: Writer, block: number, sizeClass: number): void {
    const { header } = writer.memory;
    const list = this.#state + AllocatorWord.FreeLists + sizeClass;
    const words = this.blockWords(sizeClass);
    assert(this.#isBlock(header.words, block, words), "a freed block was allocated before");
    writer.put(this.arena, block, header.words[list]!);
    writer.put(header, list, block);
    this.#addFreeWords(writer, words);
  }

  blockWords(sizeClass: number): number {
    return blockUnits(sizeClass) * this.#unitWords;
  }

  /** Returns the smallest size class that holds `words` words. */
  classFor(words: number): number {
    // In whole numbers: compiled code would be discarded at the first fraction.
    return sizeClassFor(((words + this.#unitWords - 1) / this.#unitWords) | 0);
  }

  /** Words allocated so far, including freed ones: the extent a snapshot must contain. */
  usedWords(writer: Writer): number {
    return writer.memory.header.words[this.#state + AllocatorWord.End]!;
  }

  freeWords(writer: Writer): number {
    return writer.memory.header.words[this.#state + AllocatorWord.FreeWords]!;
  }

  /** Returns a block of the free list of its class; 0 if it is empty. */
  #takeFreed(writer: Writer, sizeClass: number, words: number): number {
    const { header } = writer.memory;
    const list = this.#state + AllocatorWord.FreeLists + sizeClass;
    const freed = header.words[list]!;
    if (freed === 0) return 0;
    assert(this.#isBlock(header.words, freed, words), "a free block was allocated before");
    writer.put(header, list, this.arena.words[freed]!);
    this.#addFreeWords(writer, -words);
    writer.put(this.arena, freed, 0);
    writer.markDirty(this.arena, freed, words);
    return freed;
  }

  /** Returns the end of a hole as a block; 0 if no hole is large enough. */
  #takeFromHole(writer: Writer, words: number): number {
    const { header } = writer.memory;
    const hole = this.#findHole(header.words, words);
    if (hole === 0) return 0;
    const length = this.arena.words[hole + 1]!;
    assert(this.#isBlock(header.words, hole, length), "a hole was allocated before");
    const left = length - words;
    if (left >= MIN_HOLE_WORDS) {
      writer.put(this.arena, hole + 1, left);
      this.#leaveHole(writer, words);
    } else {
      this.#unlinkHole(writer, hole);
      this.#leaveHole(writer, length);
      this.#freeParts(writer, hole, left);
    }
    return hole + left;
  }

  #findHole(header: Uint32Array, words: number): number {
    let hole = header[this.#state + AllocatorWord.Holes]!;
    for (let probe = 0; hole !== 0 && probe < MAX_PROBES; probe++) {
      if (this.arena.words[hole + 1]! >= words) return hole;
      hole = this.arena.words[hole]!;
    }
    return 0;
  }

  #unlinkHole(writer: Writer, hole: number): void {
    const { header } = writer.memory;
    const next = this.arena.words[hole]!;
    let previous = header.words[this.#state + AllocatorWord.Holes]!;
    if (previous === hole) {
      writer.put(header, this.#state + AllocatorWord.Holes, next);
      return;
    }
    while (this.arena.words[previous] !== hole) previous = this.arena.words[previous]!;
    writer.put(this.arena, previous, next);
  }

  /** Adds words of a former hole to the free lists. */
  #freeParts(writer: Writer, start: number, length: number): void {
    let at = start;
    while (at < start + length) {
      const left = start + length - at;
      let sizeClass = this.classFor(left);
      if (this.blockWords(sizeClass) > left) sizeClass--;
      this.release(writer, at, sizeClass);
      at += this.blockWords(sizeClass);
    }
  }

  #extend(writer: Writer, words: number): number {
    const { header } = writer.memory;
    // Offset 0 is the null reference, so it is never allocated.
    const block = header.words[this.#state + AllocatorWord.End]! || this.#unitWords;
    writer.ensureWords(this.arena, block + words);
    writer.put(header, this.#state + AllocatorWord.End, block + words);
    return block;
  }

  #leaveHole(writer: Writer, words: number): void {
    const { header } = writer.memory;
    const at = this.#state + AllocatorWord.ReleasedWords;
    writer.put(header, at, Math.max(0, header.words[at]! - words));
    this.#addFreeWords(writer, -words);
  }

  #addFreeWords(writer: Writer, words: number): void {
    const { header } = writer.memory;
    const at = this.#state + AllocatorWord.FreeWords;
    writer.put(header, at, header.words[at]! + words);
  }

  /** Returns whether a block lies below the end, at a multiple of the unit. */
  #isBlock(header: Uint32Array, block: number, words: number): boolean {
    const end = header[this.#state + AllocatorWord.End]!;
    return block > 0 && block % this.#unitWords === 0 && block + words <= end;
  }
}

/** Returns the offset of the state of an arena's allocator in the graph header. */
export function allocatorState(arena: number): number {
  return ALLOCATORS + arena * ALLOCATOR_WORDS;
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
