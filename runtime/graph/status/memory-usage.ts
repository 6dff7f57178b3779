// How much memory a graph uses, by what for (interface, built-in plugin `memory`). Counts what has
// been handed out; freed blocks that wait to be used again are part of it.

import { freemem, totalmem } from "node:os";
import type { Arena } from "../memory/arena.js";
import {
  ALLOCATOR_WORDS,
  ALLOCATORS,
  Header,
  RECORD_WORDS,
  SEQUENCE_WORDS,
  SIDE_WORDS,
} from "../memory/layout.js";
import type { GraphStore } from "../store/graph-store.js";

const WORD_BYTES = 4;
/** Words of RECORD, META, SEQUENCE and of both sides. */
const VERTEX_WORDS = RECORD_WORDS + 1 + SEQUENCE_WORDS + 2 * SIDE_WORDS;
/** A name's string and how often it is used. */
const NAME_BYTES = 8;

/** Bytes of each metric; `system.*` describes the process and the machine. */
export type MemoryUsage = Record<string, number>;

export function memoryUsage(store: GraphStore): MemoryUsage {
  const { memory, types, relationships, keys } = store;
  const { words } = memory.header;
  const handedOut = (arena: Arena): number =>
    words[ALLOCATORS + arena.id * ALLOCATOR_WORDS]! * WORD_BYTES;
  const names = (count: number): number => count * NAME_BYTES;
  const typeNames = names(Object.keys(types.list()).length);
  const relationshipNames = names(Object.keys(relationships.list()).length);
  const keyNames = names(Object.keys(keys.list()).length);
  const lists = handedOut(memory.lists) - typeNames - relationshipNames - keyNames;
  const runtime = memory.header.words.length + memory.journal.words.length;
  return {
    "svc.vertex.object": words[Header.HandleEnd]! * VERTEX_WORDS * WORD_BYTES,
    "svc.vertex.arcvector": handedOut(memory.outArcs) + handedOut(memory.inArcs),
    "svc.vertex.property": handedOut(memory.cells),
    "svc.string": handedOut(memory.ids) + handedOut(memory.strings),
    "svc.index.global": handedOut(memory.index),
    "svc.index.type": Math.max(0, lists),
    "svc.codec.vertextype": typeNames,
    "svc.codec.relationship": relationshipNames,
    "svc.codec.vertexprop": keyNames,
    "svc.codec.dimension": 0,
    "svc.vector.internal": 0,
    "svc.vector.external": 0,
    "svc.vector.dimension": 0,
    "svc.event.schedule": handedOut(memory.events),
    "svc.ephemeral.string": 0,
    "svc.ephemeral.vector": 0,
    "svc.ephemeral.vertexmap": 0,
    "svc.runtime": (runtime + memory.dirty.words.length) * WORD_BYTES,
    "system.process": process.memoryUsage.rss(),
    "system.available": freemem(),
    "system.global": totalmem(),
  };
}

/** Bytes of all that belongs to the graph alone. */
export function pooledBytes(usage: MemoryUsage): number {
  return Object.entries(usage).reduce(
    (sum, [metric, bytes]) => (metric.startsWith("svc.") ? sum + bytes : sum),
    0,
  );
}
