// Changes of a graph as a whole.

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";
import type { SessionView } from "./session-view.js";

/**
 * Removes all vertices, or those of a type, with all their arcs; null and "__vertex__": untyped.
 * @returns number of vertices removed
 * @throws AccessError
 */
export function truncate(_store: GraphStore, _session: SessionView, _type?: string | null): number {
  throw new InternalError("not written");
}

/** From then on nothing changes but this. Whether it may be is for the caller to know. */
export function setReadonly(_store: GraphStore, _isReadonly: boolean): void {
  throw new InternalError("not written");
}

/** Kinds of names that have codes. */
export type NameKind = "relationship" | "type" | "key";

/**
 * Code of a name, a new one if it has none.
 * @throws EnumerationError, AccessError
 */
export function enumerate(_store: GraphStore, _kind: NameKind, _name: string): number {
  throw new InternalError("not written");
}
