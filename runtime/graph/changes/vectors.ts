// Sets and removes the vector of a vertex. Vectors are built before the mutex is taken, because
// that takes time and may fail.

import { apply } from "../operations/apply.js";
import type { GraphStore } from "../store/graph-store.js";
import { OperationCode } from "../store/operation.js";
import type { Access } from "../store/session-view.js";
import { Precision } from "../vectors/precision.js";
import { requireSameKind } from "../vectors/probe.js";
import { partsOfLike, type VectorLike } from "../vectors/vector.js";
import { toPrecision, type VectorParts } from "../vectors/vector-parts.js";
import { beginChange, changeVertex } from "./change-vertex.js";
import type { VertexKey } from "./vertex-key.js";

/**
 * Returns a vector as the graph stores it.
 * @throws ValueError, TypeError
 */
export function toStoredParts({ vectors }: GraphStore, vector: VectorLike): VectorParts {
  const { precision } = vectors;
  return toPrecision(partsOfLike(vector, "vector", precision !== Precision.Int8), precision);
}

/**
 * Sets the vector of a vertex; the null vector removes it.
 * @throws AccessError, CapacityError, ValueError
 */
export function setVector(access: Access, vertex: VertexKey, parts: VectorParts): void {
  const { store } = access;
  changeVertex(access, vertex, (found) => applyVector(store, found, parts));
}

/**
 * Removes the vector of a vertex; false if there was none.
 * @throws AccessError
 */
export function removeVector(access: Access, vertex: VertexKey): boolean {
  const { store } = access;
  return changeVertex(access, vertex, (found) => dropVector(store, found) > 0);
}

/**
 * Sets a vector within a mutation.
 * @throws ValueError if the graph has vectors of the other kind
 */
export function applyVector(store: GraphStore, vertex: number, parts: VectorParts): number {
  if (parts.bytes.length === 0) return dropVector(store, vertex);
  requireSameKind(store.vectors, parts, "vector");
  // The precision may have changed since the vector was built.
  const stored = toPrecision(parts, store.vectors.precision);
  beginChange(store, OperationCode.SetVector, vertex).vector = stored;
  return apply(store, store.operation);
}

function dropVector(store: GraphStore, vertex: number): number {
  if (!store.vectors.has(vertex)) return 0;
  return apply(store, beginChange(store, OperationCode.RemoveVector, vertex));
}
