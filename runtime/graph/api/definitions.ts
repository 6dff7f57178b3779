// Definitions of a graph: named expressions. They are properties of a vertex in the hidden system
// graph, so all threads see them and they are stored.

import { setProperty } from "../changes/properties.js";
import { createVertex } from "../changes/vertices.js";
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
  const found = findDefinitionVertex(store);
  return found === null
    ? {}
    : (found.system.properties.all(found.vertex) as Record<string, string>);
}

/** Returns the text of a definition; null if there is none. */
export function definition(store: GraphStore, name: string): string | null {
  const found = findDefinitionVertex(store);
  if (found === null) return null;
  const { system, vertex } = found;
  return readConsistently(system, false, () => {
    const key = system.keys.codeOf(name);
    return key === 0 ? null : ((system.properties.get(vertex, key) as string) ?? null);
  });
}

/** Returns null if nothing is defined yet: the process may not have graphs at all. */
function findDefinitionVertex(store: GraphStore): { system: GraphStore; vertex: number } | null {
  const system = findThreadGraphs()?.find(SYSTEM_GRAPH)?.store;
  const vertex = system?.ids.find(vertexOf(store)) ?? 0;
  return system === undefined || vertex === 0 ? null : { system, vertex };
}

setFindDefinition(definition);
