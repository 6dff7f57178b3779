// Checks whether this group may execute an operation of a divided graph. A vertex belongs to the
// group that owns its slot. Vertices of anchor types exist in every group. An arc belongs to the
// group of its tail, or of its head if the tail is an anchor. Heads in other groups are virtual.

import type { InstanceSlots } from "../../base/instance-slots.js";
import { OwnerError } from "../model/errors.js";
import { LOCK_TYPE } from "../store/code-ranges.js";
import type { GraphStore } from "../store/graph-store.js";
import { type Operation, OperationCode } from "../store/operation.js";

const MAX_SHOWN = 100;
const MOVING = "its slot is moving to another group: retry";

/** @throws OwnerError */
export function requireOwner(store: GraphStore, slots: InstanceSlots, operation: Operation): void {
  const { vertex, terminal } = operation;
  switch (operation.code) {
    case OperationCode.CreateVertex:
    case OperationCode.SetType:
      return requireOwn(store, slots, vertex, operation.id, operation.name);
    case OperationCode.DeleteVertex:
      requireOwn(store, slots, vertex, "", 0);
      return requireUnheldHeads(store, slots, vertex);
    case OperationCode.SetExpiry:
    case OperationCode.SetRank:
    case OperationCode.SetProperty:
    case OperationCode.RemoveProperty:
    case OperationCode.RemoveProperties:
    case OperationCode.SetVector:
    case OperationCode.RemoveVector:
      return requireOwn(store, slots, vertex, "", 0);
    case OperationCode.Connect:
      if (!isAnchor(store, vertex)) {
        return requireOwn(store, slots, vertex, operation.id, 0);
      }
      return requireOwn(store, slots, terminal, operation.terminalId, 0);
    case OperationCode.Disconnect:
      return requireUnheld(store, slots, isAnchor(store, vertex) ? terminal : vertex);
    case OperationCode.Truncate:
      if (slots.isAnyHeld) throw new OwnerError(`graph '${store.name}': ${MOVING}`);
  }
}

function requireUnheld(store: GraphStore, slots: InstanceSlots, vertex: number): void {
  if (!slots.isAnyHeld || vertex === 0) return;
  const key = store.ids.idOf(vertex);
  if (slots.isHeld(key)) throw new OwnerError(`vertex '${key.slice(0, MAX_SHOWN)}': ${MOVING}`);
}

/** Removing an anchor also removes its arcs, which belong to the slots of their heads. */
function requireUnheldHeads(store: GraphStore, slots: InstanceSlots, vertex: number): void {
  if (!slots.isAnyHeld || !isAnchor(store, vertex)) return;
  const { outArcs } = store;
  for (let position = outArcs.degree(vertex) - 1; position >= 0; position--) {
    requireUnheld(store, slots, outArcs.otherAt(vertex, position));
  }
}

/** Returns whether another group owns an existing vertex. */
export function isForeign(store: GraphStore, vertex: number): boolean {
  const { slots } = store;
  return slots !== null && !isAnchor(store, vertex) && !slots.ownsKey(store.ids.idOf(vertex));
}

/** Returns whether a vertex of a divided graph exists in every group. */
export function isAnchor(store: GraphStore, vertex: number): boolean {
  return vertex !== 0 && isAnchorCode(store, store.slots!, store.vertices.typeOf(vertex));
}

/** Returns whether a divided graph has vertices of the types that exist in every group. */
export function hasAnchors({ types, typeLists, slots }: GraphStore): boolean {
  return slots!.plan.everywhere.some((type) => typeLists.count(types.codeOf(type)) > 0);
}

function isAnchorCode({ types }: GraphStore, slots: InstanceSlots, code: number): boolean {
  // Locks are local to an instance.
  return code === LOCK_TYPE || slots.isAnchorType(types.nameOf(code));
}

/**
 * @param id id of a vertex that does not exist yet
 * @param type new type of the vertex; 0: unchanged
 */
function requireOwn(
  store: GraphStore,
  slots: InstanceSlots,
  vertex: number,
  id: Operation["id"],
  type: number,
): void {
  const key = vertex === 0 ? (id as string) : store.ids.idOf(vertex);
  if (slots.mayChange(key)) return;
  if (type === 0 ? isAnchor(store, vertex) : isAnchorCode(store, slots, type)) return;
  const shown = key.length > MAX_SHOWN ? `${key.slice(0, MAX_SHOWN)}...` : key;
  throw new OwnerError(
    `vertex '${shown}': ${slots.ownsKey(key) ? MOVING : slots.describeOwner(key)}`,
  );
}
