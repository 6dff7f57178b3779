// Finds changes of vertices and arcs that another group owns. After a move of slots, the log has
// their earlier changes and their removal; that of a target, the content of a move that was undone.

import type { InstanceSlots } from "../../base/instance-slots.js";
import { isAnchor } from "../operations/require-owner.js";
import { LOCK_TYPE } from "../store/code-ranges.js";
import type { GraphStore } from "../store/graph-store.js";
import type { GraphChange } from "./graph-change.js";

/** Returns whether another group owns what was changed. */
export function isForeignChange(store: GraphStore, change: GraphChange): boolean {
  const { slots, ids } = store;
  if (slots === null || change.kind === "truncated") return false;
  if (change.kind !== "arcSet" && change.kind !== "arcRemoved") {
    return !slots.ownsKey(change.id) && !existsEverywhere(store, slots, change.type);
  }
  const { initial, terminal } = change;
  if (!isAnchor(store, ids.find(initial))) return !slots.ownsKey(initial);
  return !slots.ownsKey(terminal) && !isAnchor(store, ids.find(terminal));
}

function existsEverywhere(
  { types }: GraphStore,
  slots: InstanceSlots,
  type: string | null,
): boolean {
  return type !== null && (slots.isAnchorType(type) || types.codeOf(type) === LOCK_TYPE);
}
