// How much of each arena a snapshot has to hold: what is in use, as the header of the graph says.
// And what becomes of that header where arenas have been added since the snapshot was written.

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
 * Words in use by arena, in the order of `ARENAS`. What means nothing to another process has none:
 * a loaded graph starts with an empty journal, even sequences and no locks.
 */
export function usedWords({ header, arenas }: GraphMemory): number[] {
  return ARENAS.map((name, id) =>
    Math.min(usedWordsInArena(header.words, name, id), arenas[id]!.words.length),
  );
}

/** What a snapshot holds of each arena. */
export function storedArenas(memory: GraphMemory): StoredArena[] {
  const used = usedWords(memory);
  return ARENAS.map((name, id) => ({ name, words: used[id]! }));
}

/**
 * Brings the allocators of a header that was read into the order of `ARENAS`. An arena that the
 * file does not name begins with an empty one.
 * @param words of the graph's header
 * @param stored arenas in the order in which the header has them
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

/** @throws DataError an arena that this version does not have */
export function arenaId(name: string): number {
  const id = (ARENAS as readonly string[]).indexOf(name);
  if (id >= 0) return id;
  throw new DataError(`it holds "${name}", which this version of svc-server does not know`);
}

/** @param header words of the graph's header */
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
      return handleEnd;
    case "events":
      return (header[Header.EventCount]! + 1) * EVENT_WORDS;
    default:
      return header[ALLOCATORS + id * ALLOCATOR_WORDS]!;
  }
}
