// Setting and removing properties of a vertex; see interface, the Vertex object.

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";
import type { PropertyValue } from "../store/property-values.js";
import type { SessionView } from "./session-view.js";
import type { VertexKey } from "./vertex-key.js";

/** @throws ValueError, TypeError, AccessError */
export function setProperty(
  _store: GraphStore,
  _session: SessionView,
  _vertex: VertexKey,
  _key: string,
  _value: PropertyValue,
): void {
  throw new InternalError("not written");
}

/**
 * Adds to a number, or sets a property that is not there; returns the new value.
 * @throws ValueError, AccessError
 */
export function incProperty(
  _store: GraphStore,
  _session: SessionView,
  _vertex: VertexKey,
  _key: string,
  _by: number,
): number {
  throw new InternalError("not written");
}

/**
 * False if there was none.
 * @throws AccessError
 */
export function removeProperty(
  _store: GraphStore,
  _session: SessionView,
  _vertex: VertexKey,
  _key: string,
): boolean {
  throw new InternalError("not written");
}

/**
 * Number of properties removed.
 * @throws AccessError
 */
export function removeProperties(
  _store: GraphStore,
  _session: SessionView,
  _vertex: VertexKey,
): number {
  throw new InternalError("not written");
}
