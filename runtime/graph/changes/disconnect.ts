// Removing arcs; see interface, "Disconnect".

import { InternalError } from "../errors.js";
import type { ArcFilter, VertexCondition } from "../query/query-options.js";
import type { GraphStore } from "../store/graph-store.js";
import type { SessionView } from "./session-view.js";
import type { VertexKey } from "./vertex-key.js";

export interface DisconnectOptions {
  /** Undefined: every arc in both directions; anything else: outbound unless it says otherwise. */
  readonly arc?: ArcFilter | undefined;
  /** The vertex at the other end: an id, a vertex or `{id}`. */
  readonly neighbor?: VertexCondition | undefined;
  /** Milliseconds to wait for vertices that others hold; negative for ever. */
  readonly timeout?: number;
}

/**
 * Removes the arcs of a vertex that match.
 * @returns number of arcs removed
 * @throws QueryError, AccessError, KeyError
 */
export function disconnect(
  _store: GraphStore,
  _session: SessionView,
  _vertex: VertexKey,
  _options?: DisconnectOptions,
): number {
  throw new InternalError("not written");
}
