// Creates and drops property and id indexes. Call within a mutation, from `apply` only.

import type { GraphStore } from "../store/graph-store.js";
import { ID_KEY } from "../store/property-indexes.js";
import { indexId } from "./vertices.js";

/**
 * Creates an index by scanning all vertices, or drops it; 0 if nothing changed. While the index
 * exists, its key counts as used, so that the code is not reassigned.
 */
export function indexProperty(store: GraphStore, key: number, isRequested: boolean): number {
  const { indexes, keys, vertices, properties } = store;
  if (indexes.has(key) === isRequested) return 0;
  if (key !== ID_KEY) keys.addCount(key, isRequested ? 1 : -1);
  if (!isRequested) {
    indexes.drop(key);
    return 1;
  }
  indexes.make(key);
  for (let vertex = 1; vertex < vertices.end; vertex++) {
    if (!vertices.isUsed(vertex)) continue;
    if (key === ID_KEY) indexId(store, vertex, true);
    else properties.index(vertex, key);
  }
  return 1;
}
