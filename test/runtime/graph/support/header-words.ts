// Words of a graph header that only tests read: the writing thread, and the number of virtual
// vertices.

import type { GraphMemory } from "../../../../runtime/graph/memory/graph-memory.js";
import { Header, WAITERS } from "../../../../runtime/graph/memory/layout.js";

/** Thread that holds the writer mutex of a graph, 0 for none. */
export function readWriter({ header }: GraphMemory): number {
  return Atomics.load(header.ints, Header.Mutex) & ~WAITERS;
}

export function virtualCount({ header }: GraphMemory): number {
  return header.words[Header.VirtualCount]!;
}
