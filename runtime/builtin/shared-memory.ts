// Memories that stay between the requests of the built-in services: one a graph and size, in the
// thread that serves them. Few, small, and forgotten when nobody uses them: clients fill them.

import { ParameterError } from "../base/errors.js";
import type { Graph } from "../graph/api/graph.js";
import { accessOf } from "../graph/api/graph-handle.js";
import type { Memory } from "../graph/evaluate/memory.js";
import type { GraphStore } from "../graph/store/graph-store.js";

const MAX_MEMORIES = 16;
const IDLE_MS = 600_000;

interface Kept {
  readonly memory: Memory;
  /** Of the graph that it was made for: another one may come to have the same name. */
  readonly store: GraphStore;
  usedAt: number;
}

const kept = new Map<string, Kept>();

/**
 * The memory of a graph and size.
 * @throws ParameterError too many; ValueError
 */
export function sharedMemory(graph: Graph, size: number): Memory {
  const now = performance.now();
  for (const [key, { usedAt }] of kept) if (now - usedAt > IDLE_MS) kept.delete(key);
  const key = `${graph.name} ${size}`;
  const { store } = accessOf(graph);
  const known = kept.get(key);
  if (known?.store === store) {
    known.usedAt = now;
    return known.memory;
  }
  if (known === undefined && kept.size >= MAX_MEMORIES) {
    const limit = `${MAX_MEMORIES} shared memories are in use`;
    throw new ParameterError("ValueError", `${limit}: leave out sharedmem, or wait 10 minutes`);
  }
  const memory = graph.memory(size);
  kept.set(key, { memory, store, usedAt: now });
  return memory;
}
