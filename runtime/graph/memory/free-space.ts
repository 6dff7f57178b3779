// Free space of an arena: merges adjacent free blocks into holes. A relocation does not copy holes,
// and the operating system provides memory for them only when they are used again.

import type { Arena, Hole } from "./arena.js";
import { allocatorState, blockUnits, MIN_HOLE_WORDS } from "./block-allocator.js";
import type { GraphMemory } from "./graph-memory.js";
import { AllocatorWord, CHUNK_SHIFT, CHUNKS_PER_ARENA, DirtyMark } from "./layout.js";

/** Maximum free blocks to sort, which takes about 50 ms. */
const MAX_BLOCKS = 200_000;
/** Free blocks are sorted as offset * 64 + size class. */
const CLASSES = 64;
const SIZE_CLASSES = AllocatorWord.ReleasedWords - AllocatorWord.FreeLists;
const HOLE_CLASS = CLASSES - 1;

export interface FreeSpace {
  /** In ascending order. */
  readonly holes: readonly Hole[];
  /** Blocks that stay in the free lists, in ascending order. */
  readonly blocks: readonly number[];
  /** End of the last word in use. */
  readonly end: number;
}

/**
 * Returns what `joinFreeSpace` would do; null if there are too many free blocks. While other
 * threads change the graph, the result is an estimate.
 * @param unitWords words of the arena's smallest block
 */
export function findFreeSpace(
  { header }: GraphMemory,
  arena: Arena,
  unitWords: number,
): FreeSpace | null {
  const found = sortedBlocks(header.words, arena, unitWords);
  if (found === null) return null;
  const wordsAt = (index: number): number => blockWords(arena, found[index]!, unitWords);
  const holes: Hole[] = [];
  const blocks: number[] = [];
  let end = header.words[allocatorState(arena.id) + AllocatorWord.End]!;
  for (let index = 0; index < found.length; ) {
    const first = index;
    const start = offset(found[first]!);
    let next = start;
    while (index < found.length && offset(found[index]!) === next) next += wordsAt(index++);
    if (next === end) end = start;
    else if (next - start >= MIN_HOLE_WORDS) holes.push({ start, words: next - start });
    else for (let kept = first; kept < index; kept++) blocks.push(found[kept]!);
  }
  return { holes, blocks, end };
}

/** Rebuilds the free lists. No thread may read or write the graph meanwhile. */
export function joinFreeSpace(
  memory: GraphMemory,
  arena: Arena,
  unitWords: number,
  { holes, blocks, end }: FreeSpace,
): void {
  const header = memory.header.words;
  const state = allocatorState(arena.id);
  const lists = state + AllocatorWord.FreeLists;
  let freeWords = 0;
  header.fill(0, lists, lists + SIZE_CLASSES);
  for (const block of blocks.toReversed()) {
    const start = offset(block);
    const list = lists + (block % CLASSES);
    arena.words[start] = header[list]!;
    header[list] = start;
    freeWords += blockWords(arena, block, unitWords);
    markChanged(memory, arena, start);
  }
  let nextHole = 0;
  for (const { start, words } of holes.toReversed()) {
    arena.words[start] = nextHole;
    arena.words[start + 1] = words;
    nextHole = start;
    freeWords += words;
    markChanged(memory, arena, start);
    markChanged(memory, arena, start + 1);
  }
  header[state + AllocatorWord.Holes] = nextHole;
  header[state + AllocatorWord.FreeWords] = freeWords;
  header[state + AllocatorWord.End] = end;
  if (end > 0) markChanged(memory, arena, end - 1);
}

/** Returns the number of words outside of holes. */
export function countWordsOutside({ holes, end }: FreeSpace): number {
  return holes.reduce((count, { words }) => count - words, end);
}

/** Returns the words that an allocator could hand out below its end. */
export function countFreeWords({ header }: GraphMemory, arena: Arena): number {
  return header.words[allocatorState(arena.id) + AllocatorWord.FreeWords]!;
}

/** Returns the words of holes whose memory was returned to the operating system. */
export function countReleasedWords({ header }: GraphMemory, arena: Arena): number {
  return header.words[allocatorState(arena.id) + AllocatorWord.ReleasedWords]!;
}

export function setReleasedWords({ header }: GraphMemory, arena: Arena, words: number): void {
  header.words[allocatorState(arena.id) + AllocatorWord.ReleasedWords] = words;
}

/** Returns the free blocks by offset; null if there are too many, or the lists change meanwhile. */
function sortedBlocks(header: Uint32Array, arena: Arena, unitWords: number): Float64Array | null {
  const state = allocatorState(arena.id);
  const end = header[state + AllocatorWord.End]!;
  const found = new Float64Array(MAX_BLOCKS);
  let count = 0;
  const collect = (first: number, sizeClass: number): boolean => {
    for (let start = first; start !== 0; start = arena.words[start]!) {
      const block = start * CLASSES + sizeClass;
      if (count === MAX_BLOCKS || start + 1 >= arena.words.length) return false;
      if (start + blockWords(arena, block, unitWords) > end) return false;
      found[count++] = block;
    }
    return true;
  };
  for (let sizeClass = 0; sizeClass < SIZE_CLASSES; sizeClass++) {
    if (!collect(header[state + AllocatorWord.FreeLists + sizeClass]!, sizeClass)) return null;
  }
  if (!collect(header[state + AllocatorWord.Holes]!, HOLE_CLASS)) return null;
  return found.subarray(0, count).sort();
}

function offset(block: number): number {
  return Math.floor(block / CLASSES);
}

function blockWords(arena: Arena, block: number, unitWords: number): number {
  const sizeClass = block % CLASSES;
  if (sizeClass === HOLE_CLASS) return arena.words[offset(block) + 1]!;
  return blockUnits(sizeClass) * unitWords;
}

function markChanged({ dirty }: GraphMemory, arena: Arena, word: number): void {
  dirty.words[arena.id * CHUNKS_PER_ARENA + (word >>> CHUNK_SHIFT)] = DirtyMark.Changed;
}
