// How much of each arena a snapshot has to hold: what is in use, as the header of the graph says.

import type { GraphMemory } from "../memory/graph-memory.js";
import {
  ALLOCATOR_WORDS,
  ALLOCATORS,
  ARENAS,
  type ArenaName,
  HEADER_WORDS,
  Header,
  RECORD_WORDS,
  SIDE_WORDS,
} from "../memory/layout.js";

const EVENT_WORDS = 2;
const GROUP_SHIFT = 5;
const GROUP_WORDS = 2;

/**
 * Words in use by arena, in the order of `ARENAS`. What means nothing to another process has none:
 * a loaded graph starts with an empty journal, even sequences and no locks.
 */
export function usedWords({ header, arenas }: GraphMemory): number[] {
  return ARENAS.map((name, id) =>
    Math.min(usedWordsOf(header.words, name, id), arenas[id]!.words.length),
  );
}

/** @param header words of the graph's header */
export function usedWordsOf(header: Uint32Array, arena: ArenaName, id: number): number {
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
    case "events":
      return (header[Header.EventCount]! + 1) * EVENT_WORDS;
    default:
      return header[ALLOCATORS + id * ALLOCATOR_WORDS]!;
  }
}
