// Increments of arc values.

import { M_ACC, M_CNT } from "../model/constants.js";
import { ValueError } from "../model/errors.js";
import { withArgumentDetails } from "../model/invalid-argument.js";
import { valueFromBits } from "../model/modifiers.js";
import { ParsedArc } from "../model/parsed-arc.js";
import type { Access } from "../store/session-view.js";
import { linkVertices } from "./link-vertices.js";
import { LockedChange } from "./run-with-locks.js";
import { requireMutableArcs, type VertexKey } from "./vertex-key.js";

class Add extends LockedChange<number> {
  readonly arc = new ParsedArc();
  initial: VertexKey = 0;
  terminal: VertexKey = 0;

  protected try(access: Access): number {
    const { store } = access;
    requireMutableArcs(access);
    linkVertices(access, this.initial, this.terminal, this.arc, -1);
    return valueFromBits(this.arc.modifier.kind, store.operation.value);
  }
}

const ADD = new Add();

/**
 * Adds to the M_CNT arc between two vertices, creating what is missing.
 * @returns the new value, clamped to 0 and 4294967295
 * @throws ValueError, AccessError, VertexError
 */
export function count(
  access: Access,
  initial: VertexKey,
  relationship: string | null,
  terminal: VertexKey,
  delta = 1,
  timeout = 0,
): number {
  if (!Number.isInteger(delta)) {
    throw withArgumentDetails(new ValueError("delta must be integer"), delta, "integers", ".delta");
  }
  ADD.arc.set(relationship, M_CNT, undefined);
  return add(access, initial, terminal, delta, timeout);
}

/**
 * Adds to the M_ACC arc between two vertices, creating what is missing.
 * @returns the new value, a float32
 * @throws ArcError, AccessError, VertexError
 */
export function accumulate(
  access: Access,
  initial: VertexKey,
  relationship: string | null,
  terminal: VertexKey,
  delta = 1,
  timeout = 0,
): number {
  if (typeof delta !== "number") {
    throw withArgumentDetails(new ValueError("delta must be a number"), delta, "numbers", ".delta");
  }
  ADD.arc.set(relationship, M_ACC, undefined);
  return add(access, initial, terminal, delta, timeout);
}

function add(
  access: Access,
  initial: VertexKey,
  terminal: VertexKey,
  delta: number,
  timeoutMs: number,
): number {
  // Unlike the value of a new arc, an increment may be negative.
  ADD.arc.value = delta;
  ADD.arc.hasValue = true;
  ADD.initial = initial;
  ADD.terminal = terminal;
  return ADD.run(access, timeoutMs);
}
