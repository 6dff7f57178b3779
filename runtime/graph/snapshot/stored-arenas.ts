// Extent of each arena in a snapshot, as recorded in the graph header, and the conversion of a
// header that was written with fewer arenas.

import type { GraphMemory } from "../memory/graph-memory.js";
import {
  ALLOCATOR_WORDS,
  ALLOCATORS,
  ALLOCATORS_END,
  ARENAS,
  type ArenaName,
  HEADER_WORDS,
  Header,
  RECORD_WORDS,
  SIDE_WORDS,
} from "../memory/layout.js";
import { DataError } from "../model/errors.js";
import type { StoredArena } from "./snapshot-format.js";

const EVENT_WORDS = 2;
const GROUP_SHIFT = 5;
const GROUP_WORDS = 2;

/**
 * Returns the used words per arena, in the order of `ARENAS`. State without meaning in another
 * process has none: a loaded graph starts with an empty undo log, even sequences and no locks.
 */
export function usedWords({ header, arenas }: GraphMemory): number[] {
  return ARENAS.map((name, id) =>
    Math.min(usedWordsInArena(header.words, name, id), arenas[id]!.words.length),
  );
}

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
  throw new DataError(`it holds "${name}", which this version of svc-server does not know`);
}

/** @param header words of the graph header */
export function usedWordsInArena(header: Uint32Array, arena: ArenaName, id: number): number {
  const handleEnd = header[Header.HandleEnd]!;
  switch (arena) {
    case "header":
      return HEADER_WORDS;
    case "journal":
    case "dirty":
    case "sequence":
    case "locks":
      return 0;
    case "out":
    case "in":
      return handleEnd * SIDE_WORDS;
    case "meta":
      return handleEnd;
    case "record":
      return handleEnd * RECORD_WORDS;
    case "groups":
      return ((handleEnd >>> GROUP_SHIFT) + 1) * GROUP_WORDS;
    case "vectorSlots":
    case "textVersions":
      return handleEnd;
    case "events":
      return (header[Header.EventCount]! + 1) * EVENT_WORDS;
    default:
      return header[ALLOCATORS + id * ALLOCATOR_WORDS]!;
  }
}
