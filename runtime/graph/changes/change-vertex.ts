// Common parts of all changes of one existing vertex.

import { nowSeconds } from "../memory/time.js";
import { apply } from "../operations/apply.js";
import type { GraphStore } from "../store/graph-store.js";
import { type Operation, OperationCode, type OperationCodeNumber } from "../store/operation.js";
import type { Access } from "../store/session-view.js";
import { runWithLocks, waitForLock } from "./run-with-locks.js";
import { isLockedByOther, requireWritable, resolveExisting, type VertexKey } from "./vertex-key.js";

/**
 * Runs a change of an existing vertex that no other session holds, as one mutation.
 * @throws KeyError, AccessError, and what `change` throws
 */
export function changeVertex<T>(
  access: Access,
  vertex: VertexKey,
  change: (vertex: number) => T,
): T {
  return runWithLocks(access, 0, () => change(requireWritableVertex(access, vertex)));
}

/**
 * Returns the handle of an existing writable vertex; ends the attempt while others hold it.
 * @throws KeyError, AccessError
 */
export function requireWritableVertex(access: Access, vertex: VertexKey): number {
  const { store } = access;
  requireWritable(store);
  const found = resolveExisting(store, vertex);
  if (isLockedByOther(access, found)) waitForLock(store, found);
  return found;
}

/**
 * Starts an operation on a vertex's own attributes. A separate operation first makes a virtual
 * vertex real: an open virtual vertex exists only here, because locks are not replicated.
 */
export function beginChange(
  store: GraphStore,
  code: OperationCodeNumber,
  vertex: number,
): Operation {
  promoteIfVirtual(store, vertex);
  return begin(store, code, vertex);
}

/** Makes a virtual vertex real; it keeps its type. */
export function promoteIfVirtual(store: GraphStore, vertex: number): void {
  if (!store.vertices.isVirtual(vertex)) return;
  // The record states the type for change feeds, which do not know the state at that time.
  begin(store, OperationCode.CreateVertex, vertex).name = store.vertices.typeOf(vertex);
  apply(store, store.operation);
}

/** Resets the store's operation for a code and a vertex. */
export function begin(store: GraphStore, code: OperationCodeNumber, vertex: number): Operation {
  const { operation } = store;
  operation.code = code;
  operation.vertex = vertex;
  operation.at = nowSeconds();
  return operation;
}
