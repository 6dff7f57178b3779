// Used extent of each arena, as recorded in the header of the graph.

import type { GraphMemory } from "./graph-memory.js";
import {
  ALLOCATOR_WORDS,
  ALLOCATORS,
  ARENAS,
  type ArenaName,
  HEADER_WORDS,
  Header,
  RECORD_WORDS,
  SIDE_WORDS,
} from "./layout.js";

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
    case "textOwners":
      return header[Header.TextOwnersEnd]!;
    case "events":
      return (header[Header.EventCount]! + 1) * EVENT_WORDS;
    default:
      return header[ALLOCATORS + id * ALLOCATOR_WORDS]!;
  }
}
