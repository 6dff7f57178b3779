// What all changes of one vertex that is there have in common.

import { nowSeconds } from "../memory/time.js";
import { apply } from "../operations/apply.js";
import type { GraphStore } from "../store/graph-store.js";
import { type Operation, OperationCode, type OperationCodeNumber } from "../store/operation.js";
import { runWithLocks, waitForLock } from "./run-with-locks.js";
import type { Access } from "./session-view.js";
import { isLockedByOther, requireWritable, resolveExisting, type VertexKey } from "./vertex-key.js";

/**
 * Changes a vertex that is there and that nobody else holds, at once or not at all.
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
 * Handle of a vertex that is there and may be changed; ends an attempt while others hold it.
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
 * The store's operation, about what a vertex has of its own. A virtual one is made real first, by
 * an operation: where records are applied nobody may hold it, so that it need not be there at all.
 */
export function beginChange(
  store: GraphStore,
  code: OperationCodeNumber,
  vertex: number,
): Operation {
  promoteIfVirtual(store, vertex);
  return begin(store, code, vertex);
}

/** Makes a virtual vertex real, which keeps its type. */
export function promoteIfVirtual(store: GraphStore, vertex: number): void {
  if (!store.vertices.isVirtual(vertex)) return;
  begin(store, OperationCode.CreateVertex, vertex).name = 0;
  apply(store, store.operation);
}

/** The store's operation, about one vertex, from now on. */
export function begin(store: GraphStore, code: OperationCodeNumber, vertex: number): Operation {
  const { operation } = store;
  operation.code = code;
  operation.vertex = vertex;
  operation.at = nowSeconds();
  return operation;
}
