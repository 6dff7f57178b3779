// System graph: holds process-wide state, the system properties, on one vertex. Hidden: users
// cannot open it, and totals exclude it.

import type { GraphStore } from "../store/graph-store.js";
import type { PropertyValue } from "../store/property-values.js";

/** Name of the graph and of its folder. */
export const SYSTEM_GRAPH = "_system";
/** Vertex with the properties. */
export const SYSTEM_VERTEX = "system";

/** Returns all system properties. */
export function systemProperties(store: GraphStore): Record<string, PropertyValue> {
  const vertex = store.ids.find(SYSTEM_VERTEX);
  return vertex === 0 ? {} : store.properties.all(vertex);
}
