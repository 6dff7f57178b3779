// The vertex that an anchored query starts from, as a caller may name it.

import { KeyError } from "../../model/errors.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { VertexReference } from "../parse/query-options.js";

/** Id or internalid, a `Vertex`, or a handle where the caller has one. */
export type Anchor = string | number | VertexReference;

/**
 * Handle of the vertex.
 * @throws KeyError if there is none
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
