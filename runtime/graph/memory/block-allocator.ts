// Blocks of one arena, two sizes per octave: 1, 2, 3, 4, 6, 8, 12, 16, 24, ... units. A freed block
// waits in the list of its size, linked through its first word. The state lies in the header, so
// that any thread may allocate, and is changed through the writer, so that it can be undone.

import { type Arena, MAX_ARENA_WORDS } from "./arena.js";
import { ALLOCATOR_WORDS, ALLOCATORS } from "./layout.js";
import type { Allocator, Writer } from "./writer.js";

/** Bump pointer, then the heads of the free lists. */
const FREE_LISTS = 1;
/** Words freed that wait in a list, in the last word of the state. */
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
   * Pointer to a block of a size class; its first word is 0, the others are left as they were. All
   * of it is marked before it is given: whoever fills it may die before saying what was written.
   */
  allocate(writer: Writer, sizeClass: number): number {
    const { header } = writer.memory;
    const list = this.#state + FREE_LISTS + sizeClass;
    const words = this.wordsOf(sizeClass);
    const freed = header.words[list]!;
    if (freed !== 0) {
      writer.put(header, list, this.arena.words[freed]!);
      writer.put(header, this.#state + FREE_WORDS, this.freeWords(writer) - words);
      writer.put(this.arena, freed, 0);
      writer.wrote(this.arena, freed, words);
      return freed;
    }
    // Word 0 means none, so it is never handed out.
    const block = header.words[this.#state]! || this.#unitWords;
    writer.require(this.arena, block + words);
    writer.put(header, this.#state, block + words);
    writer.wrote(this.arena, block, words);
    this.arena.words[block] = 0;
    return block;
  }

  /** False if `allocate` would find the arena full. */
  hasRoom(writer: Writer, sizeClass: number): boolean {
    const { words } = writer.memory.header;
    if (words[this.#state + FREE_LISTS + sizeClass] !== 0) return true;
    return words[this.#state]! + this.wordsOf(sizeClass) <= MAX_ARENA_WORDS;
  }

  /** Gives a block back; it stays as it is, and nobody gets it, before the commit. */
  free(writer: Writer, block: number, sizeClass: number): void {
    writer.freeAtCommit(this, block, sizeClass);
  }

  /** For the writer, as part of a commit. */
  release(writer: Writer, block: number, sizeClass: number): void {
    const { header } = writer.memory;
    const list = this.#state + FREE_LISTS + sizeClass;
    writer.put(this.arena, block, header.words[list]!);
    writer.put(header, list, block);
    const freed = this.freeWords(writer) + this.wordsOf(sizeClass);
    writer.put(header, this.#state + FREE_WORDS, freed);
  }

  wordsOf(sizeClass: number): number {
    return unitsOf(sizeClass) * this.#unitWords;
  }

  /** Smallest size class that holds so many words. */
  classFor(words: number): number {
    return classOf(Math.ceil(words / this.#unitWords));
  }

  /** Words handed out so far, freed ones included: what a snapshot has to hold. */
  usedWords(writer: Writer): number {
    return writer.memory.header.words[this.#state]!;
  }

  freeWords(writer: Writer): number {
    return writer.memory.header.words[this.#state + FREE_WORDS]!;
  }
}

/** Units of a size class. */
export function unitsOf(sizeClass: number): number {
  if (sizeClass === 0) return 1;
  const half = sizeClass >>> 1;
  return (sizeClass & 1) === 1 ? 2 << half : 3 << (half - 1);
}

/** Smallest size class of at least so many units. */
function classOf(units: number): number {
  if (units <= 1) return 0;
  // 2^octave <= units - 1 < 2^(octave + 1)
  const octave = 31 - Math.clz32(units - 1);
  const middle = 3 << (octave - 1);
  if (octave > 0 && units <= middle) return octave << 1;
  return (octave << 1) + 1;
}
