// Making, changing and removing vertices; see interface, "CreateVertex" and the Vertex object.

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";
import type { PropertyValue } from "../store/property-values.js";
import type { SessionView } from "./session-view.js";
import type { VertexKey } from "./vertex-key.js";

export interface CreateOptions {
  readonly type?: string | null | undefined;
  /** Seconds until the vertex expires; -1: as it is. */
  readonly lifespan?: number;
  readonly properties?: { readonly [key: string]: PropertyValue } | undefined;
  /** Milliseconds to wait if others hold it; negative for ever. */
  readonly timeout?: number;
}

/**
 * Makes a vertex, or makes a virtual one real; sets properties and expiry of one that is there.
 * @returns 1 if it was made or made real, 0 if it was there
 * @throws VertexError, AccessError, EnumerationError, ValueError
 */
export function createVertex(
  _store: GraphStore,
  _session: SessionView,
  _id: VertexKey,
  _options?: CreateOptions,
): number {
  throw new InternalError("not written");
}

/**
 * Removes a vertex; one with inarcs stays as a virtual vertex.
 * @returns 1, or 0 if there was no real vertex
 * @throws AccessError
 */
export function deleteVertex(
  _store: GraphStore,
  _session: SessionView,
  _vertex: VertexKey,
  _timeout = 0,
): number {
  throw new InternalError("not written");
}

/** Removes a virtual vertex without inarcs; to be called when its last lock was released. */
export function dropIfAbandoned(_store: GraphStore, _vertex: number): boolean {
  throw new InternalError("not written");
}

/**
 * Null or empty: untyped.
 * @throws EnumerationError, AccessError
 */
export function setType(
  _store: GraphStore,
  _session: SessionView,
  _vertex: VertexKey,
  _type: string | null,
): void {
  throw new InternalError("not written");
}

/**
 * Second since 1970 at which the vertex expires; negative or T_NEVER for never.
 * @throws AccessError
 */
export function setExpiry(
  _store: GraphStore,
  _session: SessionView,
  _vertex: VertexKey,
  _second: number,
): void {
  throw new InternalError("not written");
}

/** @throws AccessError */
export function setRank(
  _store: GraphStore,
  _session: SessionView,
  _vertex: VertexKey,
  _c1: number,
  _c0: number,
): void {
  throw new InternalError("not written");
}
