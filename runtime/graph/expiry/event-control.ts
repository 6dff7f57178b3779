// State of a graph's event processor, which any thread may ask for and change: it lies in shared
// memory (interface, "Graph": events).

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";

/**
 * Lets what has expired be removed, or keeps it.
 * @throws AccessError "Event processor cannot be enabled for readonly graph"
 */
export function setEventsEnabled(_store: GraphStore, _isEnabled: boolean): void {
  throw new InternalError("not written");
}

/** State in one line. */
export function eventBacklog(_store: GraphStore): string {
  throw new InternalError("not written");
}

/** State and limits by name; see interface, "EventParam". */
export function eventParameters(_store: GraphStore): Record<string, unknown> {
  throw new InternalError("not written");
}
