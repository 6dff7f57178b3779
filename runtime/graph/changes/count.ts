// Adding to the value of an arc; see interface, "Count" and "Accumulate".

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";
import type { SessionView } from "./session-view.js";
import type { VertexKey } from "./vertex-key.js";

/**
 * Adds to the M_CNT arc between two vertices, which it makes where they are missing.
 * @returns the new value, which stops at 0 and 4294967295
 * @throws ValueError, AccessError, VertexError
 */
export function count(
  _store: GraphStore,
  _session: SessionView,
  _initial: VertexKey,
  _relationship: string | null,
  _terminal: VertexKey,
  _delta = 1,
  _timeout = 0,
): number {
  throw new InternalError("not written");
}

/**
 * Adds to the M_ACC arc between two vertices, which it makes where they are missing.
 * @returns the new value, a float32
 * @throws ArcError, AccessError, VertexError
 */
export function accumulate(
  _store: GraphStore,
  _session: SessionView,
  _initial: VertexKey,
  _relationship: string | null,
  _terminal: VertexKey,
  _delta = 1,
  _timeout = 0,
): number {
  throw new InternalError("not written");
}
