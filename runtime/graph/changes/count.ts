// Adding to the value of an arc; see interface, "Count" and "Accumulate".

import { M_ACC, M_CNT } from "../model/constants.js";
import { ValueError } from "../model/errors.js";
import { valueFromBits } from "../model/modifiers.js";
import type { GraphStore } from "../store/graph-store.js";
import { ArcToMake } from "./arc-to-make.js";
import { attempt, Held } from "./attempt.js";
import { linkVertices } from "./link-vertices.js";
import type { SessionView } from "./session-view.js";
import { refuseArcChanges, type VertexKey } from "./vertex-key.js";

const ARC = new ArcToMake();

/**
 * Adds to the M_CNT arc between two vertices, which it makes where they are missing.
 * @returns the new value, which stops at 0 and 4294967295
 * @throws ValueError, AccessError, VertexError
 */
export function count(
  store: GraphStore,
  session: SessionView,
  initial: VertexKey,
  relationship: string | null,
  terminal: VertexKey,
  delta = 1,
  timeout = 0,
): number {
  if (!Number.isInteger(delta)) throw new ValueError("delta must be integer");
  ARC.set(relationship, M_CNT, undefined);
  return add(store, session, initial, terminal, delta, timeout);
}

/**
 * Adds to the M_ACC arc between two vertices, which it makes where they are missing.
 * @returns the new value, a float32
 * @throws ArcError, AccessError, VertexError
 */
export function accumulate(
  store: GraphStore,
  session: SessionView,
  initial: VertexKey,
  relationship: string | null,
  terminal: VertexKey,
  delta = 1,
  timeout = 0,
): number {
  if (typeof delta !== "number") throw new ValueError("delta must be a number");
  ARC.set(relationship, M_ACC, undefined);
  return add(store, session, initial, terminal, delta, timeout);
}

function add(
  store: GraphStore,
  session: SessionView,
  initial: VertexKey,
  terminal: VertexKey,
  delta: number,
  timeoutMs: number,
): number {
  const { writer } = store;
  // Unlike the value of an arc that is made, what is added may be negative.
  ARC.value = delta;
  ARC.hasValue = true;
  writer.begin();
  try {
    const value = addOnce(store, session, initial, terminal);
    writer.commit();
    return value;
  } catch (error) {
    writer.rollback();
    if (!(error instanceof Held)) throw error;
  } finally {
    writer.end();
  }
  return addLater(store, session, initial, terminal, timeoutMs);
}

/** By itself, because a function within another takes memory each time that one is called. */
function addLater(
  store: GraphStore,
  session: SessionView,
  initial: VertexKey,
  terminal: VertexKey,
  timeoutMs: number,
): number {
  return attempt(store, session, timeoutMs, () => addOnce(store, session, initial, terminal));
}

function addOnce(
  store: GraphStore,
  session: SessionView,
  initial: VertexKey,
  terminal: VertexKey,
): number {
  refuseArcChanges(store, session);
  linkVertices(store, session, initial, terminal, ARC, -1);
  return valueFromBits(ARC.modifier.kind, store.operation.value);
}
