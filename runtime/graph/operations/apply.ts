// The one function that changes a graph. Whoever calls it has taken the writer's mutex, has checked
// whatever a change can be refused for and has filled in an `Operation`.

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";
import type { Operation } from "./operation.js";

/**
 * Does what an operation says, within a mutation, and hands its record to `store.recorder`.
 * @returns arcs or vertices made or removed
 */
export function apply(_store: GraphStore, _operation: Operation): number {
  throw new InternalError("not written");
}
