// Expression memories that persist between requests, one per graph and size. Their number is
// limited, also per client, and unused ones expire. Queries that change a memory cannot be
// repeated, so the long-query executor runs all of them, and only its thread has the memories.

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
const MAX_PER_CLIENT = 4;
const IDLE_MS = 600_000;

interface SharedMemory {
  readonly memory: Memory;
  /** Identifies the graph, because a new graph may have the same name. */
  readonly store: GraphStore;
  /** The client that created it. */
  readonly creator: string;
  usedAt: number;
}

const memories = new Map<string, SharedMemory>();

/**
 * Returns the memory of a graph and size, shared by all clients.
 * @throws ParameterError for too many memories; ValueError
 */
export function sharedMemory({ headers }: PluginRequest, graph: Graph, size: number): Memory {
  endTimeSlice();
  const now = performance.now();
  for (const [key, { usedAt }] of memories) if (now - usedAt > IDLE_MS) memories.delete(key);
  const key = `${graph.name} ${size}`;
  const { store } = getAccess(graph);
  const existing = memories.get(key);
  if (existing?.store === store) {
    existing.usedAt = now;
    return existing.memory;
  }
  memories.delete(key);
  // Plugins that share memories declare the headers as an object.
  const fields = headers as Readonly<Record<string, string>>;
  const creator = clientKey(readClientAddress(fields).replace(/^\[|\]$/g, ""));
  const clientCount = [...memories.values()].filter((entry) => entry.creator === creator).length;
  if (memories.size >= MAX_MEMORIES)
    throw tooMany(`all ${MAX_MEMORIES} shared memories are in use`);
  if (clientCount >= MAX_PER_CLIENT)
    throw tooMany(`this client already uses ${MAX_PER_CLIENT} shared memories`);
  const memory = graph.memory(size);
  memories.set(key, { memory, store, creator, usedAt: now });
  return memory;
}

function tooMany(limit: string): ParameterError {
  return new ParameterError("ValueError", `${limit}: omit sharedmem, or retry in 10 minutes`);
}
