// System graphs. Users cannot open them, and totals exclude them. One graph holds the system
// properties, process-wide state, on one vertex. The other is replicated and holds idempotency keys
// and responses of requests; see request-keys.ts.

import type { GraphStore } from "../store/graph-store.js";
import type { PropertyValue } from "../store/property-values.js";

/** Name of the graph and of its folder. */
export const SYSTEM_GRAPH = "_system";
/** Graph of idempotency keys. Its name is valid, so that replicas of any version accept it. */
export const REQUESTS_GRAPH = "svc.requests";
/** Vertex with the system properties. */
export const SYSTEM_VERTEX = "system";

/** Returns whether a graph is a system graph. */
export function isSystemGraph(name: string): boolean {
  return name === SYSTEM_GRAPH || name === REQUESTS_GRAPH;
}

/** Returns all system properties. */
export function systemProperties(store: GraphStore): Record<string, PropertyValue> {
  const vertex = store.ids.find(SYSTEM_VERTEX);
  return vertex === 0 ? {} : store.properties.all(vertex);
}
