// Extent of each arena in a snapshot, as recorded in the graph header, and the conversion of a
// header that was written with fewer arenas.

import type { GraphMemory } from "../memory/graph-memory.js";
import { ALLOCATOR_WORDS, ALLOCATORS, ALLOCATORS_END, ARENAS } from "../memory/layout.js";
import { usedWords } from "../memory/used-words.js";
import { DataError } from "../model/errors.js";
import type { StoredArena } from "./snapshot-format.js";

/** Returns the arenas as a snapshot contains them. */
export function storedArenas(memory: GraphMemory): StoredArena[] {
  const used = usedWords(memory);
  return ARENAS.map((name, id) => ({ name, words: used[id]! }));
}

/**
 * Reorders the allocators of a loaded header to the order of `ARENAS`; arenas missing in the file
 * get empty ones.
 * @param words words of the graph header
 * @param stored arenas in the order of the header
 */
export function orderAllocators(words: Uint32Array, stored: readonly StoredArena[]): void {
  const states = words.slice(ALLOCATORS, ALLOCATORS_END);
  words.fill(0, ALLOCATORS, ALLOCATORS_END);
  for (const [place, { name }] of stored.entries()) {
    const first = place * ALLOCATOR_WORDS;
    const state = states.subarray(first, first + ALLOCATOR_WORDS);
    words.set(state, ALLOCATORS + arenaId(name) * ALLOCATOR_WORDS);
  }
}

/** @throws DataError for an unknown arena */
export function arenaId(name: string): number {
  const id = (ARENAS as readonly string[]).indexOf(name);
  if (id >= 0) return id;
  throw new DataError(`unknown section "${name}"; this version of svc-server cannot read it`);
}
