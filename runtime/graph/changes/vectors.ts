// Sets and removes vectors of a vertex, with or without a name. Vectors are built before the mutex
// is taken, because that takes time and may fail.

import { ValueError } from "../model/errors.js";
import { apply } from "../operations/apply.js";
import { ensureKeyCode } from "../operations/name-codes.js";
import type { GraphStore } from "../store/graph-store.js";
import { OperationCode } from "../store/operation.js";
import type { Access } from "../store/session-view.js";
import { Precision } from "../vectors/precision.js";
import { requireSameKind } from "../vectors/probe.js";
import { parseVector, type VectorLike } from "../vectors/vector.js";
import { toPrecision, type VectorParts } from "../vectors/vector-parts.js";
import type { VectorTable } from "../vectors/vector-table.js";
import { beginChange, changeVertex } from "./change-vertex.js";
import type { VertexKey } from "./vertex-key.js";

/** Name of the vectors without a name. */
export const UNNAMED = "";

/** Returns the table of a name; null if the graph does not have it. */
export function findVectors({ vectorFields, keys }: GraphStore, name: string): VectorTable | null {
  if (name === UNNAMED) return vectorFields.unnamed;
  const key = keys.codeOf(name);
  return key === 0 ? null : vectorFields.find(key);
}

/**
 * Returns a vector as the graph stores it.
 * @throws ValueError, TypeError
 */
export function toStoredParts(store: GraphStore, vector: VectorLike, name = UNNAMED): VectorParts {
  const precision = findVectors(store, name)?.precision ?? Precision.Int8;
  const path = name === UNNAMED ? "vector" : name;
  const parts = parseVector(vector, path, precision !== Precision.Int8);
  return toPrecision(parts, precision, path);
}

/**
 * Sets a vector of a vertex; the null vector removes it.
 * @throws AccessError, CapacityError, ValueError
 */
export function setVector(
  access: Access,
  vertex: VertexKey,
  parts: VectorParts,
  name = UNNAMED,
): void {
  const { store } = access;
  changeVertex(access, vertex, (found) => applyVector(store, found, parts, name));
}

/**
 * Removes a vector of a vertex; false if there was none.
 * @throws AccessError
 */
export function removeVector(access: Access, vertex: VertexKey, name = UNNAMED): boolean {
  const { store } = access;
  return changeVertex(access, vertex, (found) => dropVector(store, found, name) > 0);
}

/**
 * Sets a vector within a mutation.
 * @throws ValueError if the graph has vectors of the other kind, or if its measure or precision
 *   does not allow the vector
 * @throws CapacityError if the graph has too many names
 */
export function applyVector(
  store: GraphStore,
  vertex: number,
  parts: VectorParts,
  name: string,
): number {
  if (parts.bytes.length === 0) return dropVector(store, vertex, name);
  const key = name === UNNAMED ? 0 : ensureKeyCode(store, name);
  const table = store.vectorFields.require(key);
  const path = name === UNNAMED ? "vector" : name;
  requireSameKind(table, parts, path);
  const refused = parts.isFeatures ? null : (table.measure.refuse?.(parts) ?? null);
  if (refused !== null) throw new ValueError(`${path}: ${refused}`);
  // The precision may have changed since the vector was built.
  const stored = toPrecision(parts, table.precision, path);
  const operation = beginChange(store, OperationCode.SetVector, vertex);
  operation.name = key;
  operation.vector = stored;
  return apply(store, operation);
}

function dropVector(store: GraphStore, vertex: number, name: string): number {
  const table = findVectors(store, name);
  if (table === null || !table.has(vertex)) return 0;
  const operation = beginChange(store, OperationCode.RemoveVector, vertex);
  operation.name = table.key;
  return apply(store, operation);
}
