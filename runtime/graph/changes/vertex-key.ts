// Resolves the vertex arguments of changes, ids or handles, and checks whether vertices may be
// changed.

import { Header } from "../memory/layout.js";
import { AccessError, KeyError } from "../model/errors.js";
import type { GraphStore } from "../store/graph-store.js";
import { readonlyError } from "../store/readonly-error.js";
import type { Access } from "../store/session-view.js";
import { validateVertexId } from "../store/validate-vertex-id.js";

/** An id or internal id, or a handle of a vertex that cannot vanish. */
export type VertexKey = string | number;

/**
 * Returns the handle of a vertex, or 0.
 * @throws VertexError, TypeError for an invalid id
 * @throws KeyError for an unused handle
 */
export function findHandle(store: GraphStore, key: VertexKey): number {
  if (typeof key === "number") {
    if (store.vertices.isUsed(key)) return key;
    throw new KeyError(`No object : '${key}'`);
  }
  const handle = typeof key === "string" ? store.ids.resolve(key) : 0;
  if (handle === 0) validateVertexId(key);
  return handle;
}

/**
 * Returns the handle of an existing vertex.
 * @throws KeyError
 */
export function resolveExisting(store: GraphStore, key: VertexKey): number {
  const handle = findHandle(store, key);
  if (handle === 0) throw new KeyError(`No object : '${key}'`);
  return handle;
}

/** Returns the id for creating a missing vertex. */
export function idForCreation(key: VertexKey): string {
  return typeof key === "string" ? key : "";
}

/** Returns true if another session holds a vertex; read-only locks count too. */
export function isLockedByOther(access: Access, vertex: number): boolean {
  const { store, session } = access;
  if (store.memory.header.words[Header.LocksHeld] === 0 || vertex === 0) return false;
  const { locks } = store;
  return locks.countOf(vertex) > 0 && locks.ownerOf(vertex) !== session.id;
}

/** @throws AccessError */
export function requireWritable(store: GraphStore): void {
  if (store.isReadonly) throw readonlyError(store);
  if (store.isViewing) throw new AccessError("a view cannot change its graph");
}

/**
 * Checks the preconditions of all arc changes, independent of the vertices.
 * @throws AccessError
 */
export function requireMutableArcs(access: Access): void {
  const { store, session } = access;
  requireWritable(store);
  if (session.readonlyHeld > 0) {
    throw new AccessError("Read-only vertices held by current thread, operation not allowed");
  }
}
