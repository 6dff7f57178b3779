// How changes name vertices: by id, or by handle where the caller has one that cannot go away. And
// whether they may be changed: nobody else may hold them.

import { Header } from "../memory/layout.js";
import { AccessError, KeyError } from "../model/errors.js";
import type { GraphStore } from "../store/graph-store.js";
import { validateVertexId } from "../store/validate-vertex-id.js";
import type { Access } from "./session-view.js";

/** An id or internal id, or a handle. */
export type VertexKey = string | number;

/**
 * Handle of a vertex, 0 if there is none.
 * @throws VertexError, TypeError an id that can be none
 * @throws KeyError a handle that is not used
 */
export function handleOf(store: GraphStore, key: VertexKey): number {
  if (typeof key === "number") {
    if (store.vertices.isUsed(key)) return key;
    throw new KeyError(`No object : '${key}'`);
  }
  const handle = typeof key === "string" ? store.ids.resolve(key) : 0;
  if (handle === 0) validateVertexId(key);
  return handle;
}

/**
 * Handle of a vertex that must be there.
 * @throws KeyError
 */
export function resolveExisting(store: GraphStore, key: VertexKey): number {
  const handle = handleOf(store, key);
  if (handle === 0) throw new KeyError(`No object : '${key}'`);
  return handle;
}

/** The id under which a vertex is to be made, if it is not there. */
export function idOfKey(key: VertexKey): string {
  return typeof key === "string" ? key : "";
}

/** True if another session holds a vertex; readers, too, keep it from being changed. */
export function isLockedByOther(access: Access, vertex: number): boolean {
  const { store, session } = access;
  if (store.memory.header.words[Header.LocksHeld] === 0 || vertex === 0) return false;
  const { locks } = store;
  return locks.countOf(vertex) > 0 && locks.ownerOf(vertex) !== session.id;
}

/** @throws AccessError */
export function requireWritable(store: GraphStore): void {
  if (store.isReadonly) throw new AccessError("Graph is readonly");
}

/**
 * What changes of arcs are refused for, whichever vertices they are about.
 * @throws AccessError
 */
export function requireMutableArcs(access: Access): void {
  const { store, session } = access;
  requireWritable(store);
  if (session.readonlyHeld > 0) {
    throw new AccessError("Read-only vertices held by current thread, operation not allowed");
  }
}
