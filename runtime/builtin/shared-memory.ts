// Expression memories that persist between requests: one per graph and size, in the thread that
// serves them. Their number and size are limited, per client too, and unused ones expire. Queries
// that change them cannot be repeated, so the executor of long queries runs them all.

import { clientKey } from "../base/client-key.js";
import { ParameterError } from "../base/errors.js";
import { endTimeSlice } from "../graph/api/entry-points.js";
import type { Graph } from "../graph/api/graph.js";
import { getAccess } from "../graph/api/graph-handle.js";
import type { Memory } from "../graph/evaluate/memory.js";
import type { GraphStore } from "../graph/manager/logging-entry-points.js";
import type { PluginRequest } from "../plugin/request/plugin-request.js";
import { readClientAddress } from "./client-of.js";

const MAX_MEMORIES = 16;
const MAX_OF_CLIENT = 4;
const IDLE_MS = 600_000;

interface Kept {
  readonly memory: Memory;
  /** Identifies the graph: a new one may reuse the name. */
  readonly store: GraphStore;
  /** The client that created it. */
  readonly maker: string;
  usedAt: number;
}

const kept = new Map<string, Kept>();

/**
 * Returns the memory of a graph and size, shared by all clients.
 * @throws ParameterError for too many memories; ValueError
 */
export function sharedMemory({ headers }: PluginRequest, graph: Graph, size: number): Memory {
  endTimeSlice();
  const now = performance.now();
  for (const [key, { usedAt }] of kept) if (now - usedAt > IDLE_MS) kept.delete(key);
  const key = `${graph.name} ${size}`;
  const { store } = getAccess(graph);
  const known = kept.get(key);
  if (known?.store === store) {
    known.usedAt = now;
    return known.memory;
  }
  kept.delete(key);
  // Plugins that share memories declare the headers as an object.
  const fields = headers as Readonly<Record<string, string>>;
  const maker = clientKey(readClientAddress(fields).replace(/^\[|\]$/g, ""));
  const own = [...kept.values()].filter((other) => other.maker === maker).length;
  if (kept.size >= MAX_MEMORIES) throw tooMany(`all ${MAX_MEMORIES} shared memories are in use`);
  if (own >= MAX_OF_CLIENT)
    throw tooMany(`this client already uses ${MAX_OF_CLIENT} shared memories`);
  const memory = graph.memory(size);
  kept.set(key, { memory, store, maker, usedAt: now });
  return memory;
}

function tooMany(limit: string): ParameterError {
  return new ParameterError("ValueError", `${limit}: omit sharedmem, or retry in 10 minutes`);
}
