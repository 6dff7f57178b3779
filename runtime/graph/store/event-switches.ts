// Switches of a graph's event processor, kept in shared memory so that any thread can read and
// change them.

import { Header } from "../memory/layout.js";
import { AccessError } from "../model/errors.js";
import type { GraphStore } from "./graph-store.js";

/**
 * Bits of `Header.EventsSuspended`: suspended by the graph's own switch, by the system, or because
 * the graph is a replica, which receives removals from its provider.
 */
export const EventPause = { Graph: 1, System: 2, Replica: 4 } as const;
type EventPauseBit = (typeof EventPause)[keyof typeof EventPause];

/** Returns false while expired vertices are kept: suspended, or the graph is read-only. */
export function areEventsRunning(store: GraphStore): boolean {
  return Atomics.load(store.memory.header.ints, Header.EventsSuspended) === 0 && !store.isReadonly;
}

/**
 * Suspends or resumes the removal of expired vertices; it runs if no switch suspends it.
 * @throws AccessError "Event processor cannot be enabled for readonly graph"
 */
export function setEventsEnabled(
  store: GraphStore,
  isEnabled: boolean,
  pause: EventPauseBit = EventPause.Graph,
): void {
  const { ints } = store.memory.header;
  if (!isEnabled) Atomics.or(ints, Header.EventsSuspended, pause);
  else if (pause !== EventPause.Graph || !store.isReadonly) {
    Atomics.and(ints, Header.EventsSuspended, ~pause);
  } else throw new AccessError("Event processor cannot be enabled for readonly graph");
}
