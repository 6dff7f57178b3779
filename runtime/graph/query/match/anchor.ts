// Anchors: the vertex at which a query starts, as callers name it.

import { KeyError } from "../../model/errors.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { VertexReference } from "../parse/query-options.js";

/** Id or internalid, a `Vertex`, or a handle. */
export type Anchor = string | number | VertexReference;

/**
 * Returns the handle of the vertex.
 * @throws KeyError no such vertex
 */
export function findAnchor(store: GraphStore, anchor: Anchor): number {
  if (typeof anchor === "number") {
    if (store.vertices.isUsed(anchor)) return anchor;
    throw new KeyError(`Object does not exist: '${anchor}'`);
  }
  const id = typeof anchor === "string" ? anchor : anchor.id;
  const handle = store.ids.resolve(id);
  if (handle === 0) throw new KeyError(`Object does not exist: '${id}'`);
  return handle;
}

/** Returns the handle of the vertex; 0 if there is none. */
export function tryAnchor(store: GraphStore, anchor: Anchor): number {
  try {
    return findAnchor(store, anchor);
  } catch (error) {
    if (error instanceof KeyError) return 0;
    throw error;
  }
}
