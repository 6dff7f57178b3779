// Graphs of the system itself. Hidden: users cannot open them, and totals exclude them. One holds
// process-wide state, the system properties, on one vertex. The other is replicated and holds the
// keys of requests with their answers; see request-keys.ts.

import type { GraphStore } from "../store/graph-store.js";
import type { PropertyValue } from "../store/property-values.js";

/** Name of the graph and of its folder. */
export const SYSTEM_GRAPH = "_system";
/** Graph of the keys of requests; a valid name, which replicas of any version accept. */
export const REQUESTS_GRAPH = "svc.requests";
/** Vertex with the properties. */
export const SYSTEM_VERTEX = "system";

/** Returns whether a graph is one of the system itself. */
export function isSystemGraph(name: string): boolean {
  return name === SYSTEM_GRAPH || name === REQUESTS_GRAPH;
}

/** Returns all system properties. */
export function systemProperties(store: GraphStore): Record<string, PropertyValue> {
  const vertex = store.ids.find(SYSTEM_VERTEX);
  return vertex === 0 ? {} : store.properties.all(vertex);
}
