// What the header of a graph says that only tests look at: who writes, and how many are virtual.

import type { GraphMemory } from "../../../../runtime/graph/memory/graph-memory.js";
import { Header, WAITERS } from "../../../../runtime/graph/memory/layout.js";

/** Thread that holds the mutex of a graph, 0 for none. */
export function writerOf({ header }: GraphMemory): number {
  return Atomics.load(header.ints, Header.Mutex) & ~WAITERS;
}

export function virtualCount({ header }: GraphMemory): number {
  return header.words[Header.VirtualCount]!;
}
