// Memory usage of a graph by purpose (http-interface, "Graph status and queries"). Counts allocated
// memory, including freed blocks.

import { freemem, totalmem } from "node:os";
import type { ArenaName } from "../../memory/layout.js";
import { ARENAS, CHUNK_WORDS, Header, SEQUENCE_WORDS } from "../../memory/layout.js";
import { usedWords } from "../../memory/used-words.js";
import type { GraphStore } from "../../store/graph-store.js";

const WORD_BYTES = 4;
/** A name's string pointer, count and serial. */
const NAME_BYTES = 12;

/** Bytes per metric; `system.*` describes the process and the machine. */
export type MemoryUsage = Record<string, number>;

/** Takes no lock: the values of a changing graph may be inconsistent. */
export function memoryUsage(store: GraphStore): MemoryUsage {
  const { memory, types, relationships, keys } = store;
  memory.refresh();
  const words = usedWords(memory);
  const bytes = (...names: ArenaName[]): number =>
    names.reduce((sum, name) => sum + words[ARENAS.indexOf(name)]! * WORD_BYTES, 0);
  const sequences = memory.header.words[Header.HandleEnd]! * SEQUENCE_WORDS * WORD_BYTES;
  const typeNames = types.used * NAME_BYTES;
  const relationshipNames = relationships.used * NAME_BYTES;
  const keyNames = keys.used * NAME_BYTES;
  const lists = bytes("lists") - typeNames - relationshipNames - keyNames;
  const { header, journal, locks } = memory;
  // One dirty mark per chunk.
  const marks = words.reduce((sum, used) => sum + Math.ceil(used / CHUNK_WORDS), 0);
  const runtime = header.words.length + journal.words.length + locks.words.length + marks;
  return {
    "svc.vertex.object": bytes("out", "in", "meta", "record") + sequences,
    "svc.vertex.arcvector": bytes("outArcs", "inArcs"),
    "svc.vertex.property": bytes("groups", "cells"),
    "svc.string": bytes("ids", "strings"),
    "svc.index.global": bytes("index", "texts", "textVersions", "textOwners"),
    "svc.index.type": Math.max(0, lists),
    "svc.codec.vertextype": typeNames,
    "svc.codec.relationship": relationshipNames,
    "svc.codec.vertexprop": keyNames,
    "svc.codec.dimension": 0,
    "svc.vector.internal": bytes("vectors", "vectorSlots", "links"),
    "svc.vector.external": 0,
    "svc.vector.dimension": 0,
    "svc.event.schedule": bytes("events"),
    "svc.ephemeral.string": 0,
    "svc.ephemeral.vector": 0,
    "svc.ephemeral.vertexmap": 0,
    "svc.runtime": runtime * WORD_BYTES,
    "system.process": process.memoryUsage.rss(),
    "system.available": freemem(),
    "system.global": totalmem(),
  };
}

/** Returns the bytes of all memory that belongs to the graph. */
export function pooledBytes(usage: MemoryUsage): number {
  return Object.entries(usage).reduce(
    (sum, [metric, bytes]) => (metric.startsWith("svc.") ? sum + bytes : sum),
    0,
  );
}
