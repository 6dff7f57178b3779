// The graph in which a process keeps what belongs to no graph of its users: the properties of the
// system, on one vertex. It is hidden: users cannot name a graph so, and totals leave it out.

import type { GraphStore } from "../store/graph-store.js";
import type { PropertyValue } from "../store/property-values.js";

/** Name of the graph and of its folder. */
export const SYSTEM_GRAPH = "_system";
/** Vertex with the properties. */
export const SYSTEM_VERTEX = "system";

/** All properties of the system. */
export function systemProperties(store: GraphStore): Record<string, PropertyValue> {
  const vertex = store.ids.find(SYSTEM_VERTEX);
  return vertex === 0 ? {} : store.properties.all(vertex);
}
