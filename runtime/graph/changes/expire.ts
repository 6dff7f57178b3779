// Removing what has expired. The event processor calls it; it takes the same locks as any change.

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";
import type { SessionView } from "./session-view.js";

/** `isLocked`: nothing was done, try again later. */
export interface Expired {
  readonly isLocked: boolean;
  readonly vertices: number;
  readonly arcs: number;
}

/**
 * Deletes a vertex that has expired, or removes its outarcs that have: all of the same relationship
 * to the same terminal. What expires later is scheduled anew.
 */
export function expire(
  _store: GraphStore,
  _session: SessionView,
  _vertex: number,
  _now: number,
): Expired {
  throw new InternalError("not written");
}
