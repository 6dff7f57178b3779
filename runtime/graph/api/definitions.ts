// Definitions of a graph: named expressions. They are properties of a vertex in the hidden system
// graph, so all threads see them and they are stored.

import { setProperty } from "../changes/properties.js";
import { createVertex } from "../changes/vertices.js";
import { LruCache } from "../evaluate/lru-cache.js";
import { setFindDefinition } from "../evaluate/named-expressions.js";
import { compileExpression } from "../evaluate/program.js";
import { SYSTEM_GRAPH } from "../manager/system-graph.js";
import { findThreadGraphs, threadGraphs } from "../manager/thread-graphs.js";
import { ValueError } from "../model/errors.js";
import type { GraphStore } from "../store/graph-store.js";
import { readConsistently } from "../store/read-consistently.js";

function vertexOf({ name }: GraphStore): string {
  return `definitions:${name}`;
}

/**
 * Stores a definition.
 * @throws QueryError a malformed expression; ValueError no name
 */
export function define(store: GraphStore, text: string): void {
  const { name } = compileExpression(text);
  if (name === null) throw new ValueError("expected a definition: `name := expression`");
  if (!/^[A-Za-z]/.test(name)) throw new ValueError(`invalid definition name: '${name}'`);
  const system = threadGraphs().system();
  const vertex = vertexOf(store);
  createVertex(system, vertex);
  setProperty(system, vertex, name, text);
}

/** Returns the texts of all definitions of a graph by name. */
export function definitions(store: GraphStore): Record<string, string> {
  const system = findSystemStore();
  const vertex = system?.ids.find(vertexOf(store)) ?? 0;
  if (system === null || vertex === 0) return {};
  return system.properties.all(vertex) as Record<string, string>;
}

/** Definitions that a thread has read: texts by name, null for undefined names. */
interface CachedTexts {
  readonly system: GraphStore;
  /** `settledCount` of the system graph when they were read. */
  readonly count: number;
  readonly byName: LruCache<string | null>;
}

const MAX_CACHED = 64;
const MAX_CACHED_CHARACTERS = 2 ** 16;
const cachedTexts = new WeakMap<GraphStore, CachedTexts>();

/** Returns the text of a definition; null if there is none. */
export function definition(store: GraphStore, name: string): string | null {
  const system = findSystemStore();
  if (system === null) return null;
  const count = system.settledCount;
  // During a change, the count may include operations that are not visible yet.
  if (count < 0) return readDefinition(system, store, name);
  let texts = cachedTexts.get(store);
  if (texts?.count !== count || texts.system !== system) {
    texts = { system, count, byName: new LruCache(MAX_CACHED, MAX_CACHED_CHARACTERS) };
    cachedTexts.set(store, texts);
  }
  const text = texts.byName.get(name);
  if (text !== undefined) return text;
  const current = readDefinition(system, store, name);
  texts.byName.set(name, current);
  return current;
}

function readDefinition(system: GraphStore, store: GraphStore, name: string): string | null {
  const vertex = system.ids.find(vertexOf(store));
  if (vertex === 0) return null;
  return readConsistently(system, false, () => {
    const key = system.keys.codeOf(name);
    return key === 0 ? null : ((system.properties.get(vertex, key) as string) ?? null);
  });
}

/** Returns null if the process has no graphs yet. */
function findSystemStore(): GraphStore | null {
  return findThreadGraphs()?.find(SYSTEM_GRAPH)?.store ?? null;
}

setFindDefinition(definition);
