// Removes expired vertices and arcs for the event processor, subject to the same locks as other
// changes.

import { Header } from "../memory/layout.js";
import { encodeSecond } from "../memory/time.js";
import { M_TMX } from "../model/constants.js";
import { apply } from "../operations/apply.js";
import type { GraphStore } from "../store/graph-store.js";
import { OperationCode } from "../store/operation.js";
import type { Access } from "../store/session-view.js";
import { begin } from "./change-vertex.js";
import { isLockedByOther } from "./vertex-key.js";

/** Result of one call; `isLocked`: a lock prevented the removal, and the vertex is rescheduled. */
export interface Expired {
  readonly isLocked: boolean;
  readonly vertices: number;
  readonly arcs: number;
}

/** Maximum arcs removed per call, so that writers do not wait long. */
const MAX_ARCS = 1024;

const NOTHING: Expired = { isLocked: false, vertices: 0, arcs: 0 };
const LOCKED: Expired = { isLocked: true, vertices: 0, arcs: 0 };

/**
 * Deletes an expired vertex, or removes its expired outarcs together with all arcs of the same
 * relationship to the same terminal. Reschedules the vertex for its next expiry or a retry.
 */
export function expire(access: Access, vertex: number, now: number): Expired {
  const { store } = access;
  // Vertices from before the graph was divided expire, too, whichever instance owns them now.
  store.checksOwner = false;
  try {
    return store.writer.mutate(() => expireVertex(access, vertex, now));
  } finally {
    store.checksOwner = true;
  }
}

function expireVertex(access: Access, vertex: number, now: number): Expired {
  const { store } = access;
  if (store.isReadonly || !store.vertices.isUsed(vertex)) return NOTHING;
  if (isLockedByOther(access, vertex)) return retryLater(store, vertex, now);
  if (store.vertices.expiresAt(vertex) > now) return expireArcs(access, vertex, now);
  if (hasHeldTerminal(access, vertex)) return retryLater(store, vertex, now);
  const size = store.size;
  apply(store, begin(store, OperationCode.DeleteVertex, vertex));
  return { isLocked: false, vertices: 1, arcs: size - store.size };
}

function retryLater(store: GraphStore, vertex: number, now: number): Expired {
  reschedule(store, vertex, now + 1);
  return LOCKED;
}

function reschedule(store: GraphStore, vertex: number, second: number): void {
  store.expiry.cancel(vertex);
  store.expiry.schedule(vertex, second);
}

function hasHeldTerminal(access: Access, vertex: number): boolean {
  const { store } = access;
  if (store.memory.header.words[Header.LocksHeld] === 0) return false;
  const { outArcs } = store;
  for (let position = outArcs.degree(vertex) - 1; position >= 0; position--) {
    if (isLockedByOther(access, outArcs.otherAt(vertex, position))) return true;
  }
  return false;
}

function expireArcs(access: Access, vertex: number, now: number): Expired {
  const { store } = access;
  const { outArcs } = store;
  let isLocked = false;
  let arcs = 0;
  let next = store.vertices.expiresAt(vertex);
  // From the end: an arc that replaces a removed one was visited before, or will be.
  for (let position = outArcs.degree(vertex) - 1; position >= 0; position--) {
    if (position >= outArcs.degree(vertex)) continue;
    const word1 = outArcs.word1At(vertex, position);
    if (((word1 >>> 8) & 0xff) !== M_TMX) continue;
    const second = encodeSecond(outArcs.valueAt(vertex, position));
    const terminal = outArcs.otherAt(vertex, position);
    if (second > now) next = Math.min(next, second);
    else if (arcs >= MAX_ARCS) next = now;
    else if (isLockedByOther(access, terminal)) {
      isLocked = true;
      next = Math.min(next, now + 1);
    } else arcs += disconnectRelationship(store, vertex, terminal, word1 >>> 16);
  }
  reschedule(store, vertex, next);
  return { isLocked, vertices: 0, arcs };
}

/** Removes the arcs of a relationship between two vertices, with any modifier. */
function disconnectRelationship(
  store: GraphStore,
  vertex: number,
  terminal: number,
  relationship: number,
): number {
  const operation = begin(store, OperationCode.Disconnect, vertex);
  operation.terminal = terminal;
  operation.name = relationship;
  operation.modifier = 0;
  return apply(store, operation);
}
