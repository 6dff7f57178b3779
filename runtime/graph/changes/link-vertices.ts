// Creates or changes one arc within a mutation: checks, value, and operations. Missing vertices are
// created.

import { ARC_KEY_MASK } from "../memory/layout.js";
import { encodeSecond, nowSeconds } from "../memory/time.js";
import { M_TMC, M_TMM, M_TMX } from "../model/constants.js";
import { ArcError } from "../model/errors.js";
import { ArcFlag, MODIFIERS, type Modifier, valueBits, valueFromBits } from "../model/modifiers.js";
import { firstValue, inRange, type ParsedArc } from "../model/parsed-arc.js";
import { apply } from "../operations/apply.js";
import { findArc, isForwardOnlyMix, loadArcEnds } from "../operations/arcs.js";
import { ensureRelationshipCode } from "../operations/name-codes.js";
import type { GraphStore } from "../store/graph-store.js";
import { OperationCode } from "../store/operation.js";
import type { Access } from "../store/session-view.js";
import { waitForLock } from "./run-with-locks.js";
import { findHandle, idForCreation, isLockedByOther, type VertexKey } from "./vertex-key.js";

/**
 * Creates an arc or changes its value; `store.operation` contains the result.
 * @param lifespan seconds until it expires; negative: never
 * @returns number of new arcs, including companion arcs
 * @throws ArcError, VertexError, KeyError, and `LockConflict` for `LockedChange`
 */
export function linkVertices(
  access: Access,
  initial: VertexKey,
  terminal: VertexKey,
  arc: ParsedArc,
  lifespan: number,
): number {
  const { store } = access;
  const { operation } = store;
  const from = findHandle(store, initial);
  const to = findHandle(store, terminal);
  if (from !== 0 && to !== 0) loadArcEnds(store, from, to);
  if (isLockedByOther(access, from)) waitForLock(store, from);
  if (isLockedByOther(access, to)) waitForLock(store, to);
  if (to !== 0 && isForwardOnlyMix(store, to, arc.flags)) throw mixedListing(arc.flags);
  const name = ensureRelationshipCode(store, arc.relationship);
  const now = nowSeconds();
  operation.code = OperationCode.Connect;
  operation.vertex = from;
  operation.id = idForCreation(initial);
  operation.terminal = to;
  operation.terminalId = idForCreation(terminal);
  operation.name = name;
  operation.flags = arc.flags;
  operation.at = now;
  const { modifier } = arc;
  operation.modifier = modifier.code;
  operation.value =
    modifier.update === "set" || modifier.update === "keep"
      ? firstValue(arc, now)
      : nextValue(store, from, to, name, arc, now);
  let created = apply(store, operation);
  if (lifespan >= 0 || arc.hasTimes) created += linkTimes(store, lifespan, now);
  return created;
}

function mixedListing(flags: number): ArcError {
  return (flags & ArcFlag.ForwardOnly) === 0
    ? new ArcError("Regular arc not allowed when terminal already has forward-only inarc(s)")
    : new ArcError("Forward-only arc not allowed when terminal already has regular inarc(s)");
}

/** Returns word 2 of an arc whose value depends on whether it exists, and on its old value. */
function nextValue(
  store: GraphStore,
  from: number,
  to: number,
  name: number,
  arc: ParsedArc,
  now: number,
): number {
  const { modifier } = arc;
  const { kind } = modifier;
  const position = from === 0 || to === 0 ? -1 : findArc(store, from, to, arcKey(name, modifier));
  if (position < 0) {
    if (modifier.update === "refuse" || !arc.hasValue) return firstValue(arc, now);
    return valueBits(kind, inRange(modifier, arc.value));
  }
  if (modifier.update === "refuse") throw new ArcError("Arc creation time already set");
  const old = valueFromBits(kind, store.outArcs.valueAt(from, position));
  const added = arc.hasValue ? arc.value : valueFromBits(kind, firstValue(arc, now));
  return valueBits(kind, inRange(modifier, old + added));
}

function arcKey(name: number, modifier: Modifier): number {
  return (((name << 16) | (modifier.code << 8)) & ARC_KEY_MASK) >>> 0;
}

/** Creates or updates the companion arcs that hold the times of an arc. */
function linkTimes(store: GraphStore, lifespan: number, now: number): number {
  const { vertex, terminal, name, modifier } = store.operation;
  let created = 0;
  if (findArc(store, vertex, terminal, arcKey(name, MODIFIERS[M_TMC]!)) < 0) {
    created += linkTime(store, M_TMC, now);
  }
  if (modifier !== M_TMM) created += linkTime(store, M_TMM, now);
  if (lifespan >= 0) {
    const expiresAt = encodeSecond(now + lifespan);
    created += linkTime(store, M_TMX, expiresAt);
  }
  return created;
}

function linkTime(store: GraphStore, modifier: number, second: number): number {
  store.operation.modifier = modifier;
  store.operation.value = second;
  return apply(store, store.operation);
}
