// The slots of a system as one instance needs them, until its record has another map.

import { identifySlots } from "../base/identify-slots.js";
import type { SlotPlan } from "../base/instance-slots.js";
import { type IdentifiedRuns, renameOwners } from "../base/slot-map.js";
import { createGroupsBelow, findRoot } from "./read-slots.js";
import type { System } from "./system.js";

/** @returns null for a system without slots */
export function planSlots(system: System, id: string): SlotPlan | null {
  if (system.slots === null) return null;
  const { map, groups, graphs, everywhere } = system.slots;
  const isDispatcher = system.matrices.has(id);
  const own = isDispatcher ? -1 : groups.indexOf(findRoot(system.providers, id));
  const partitions = isDispatcher ? listPartitions(system, id) : null;
  return { id: identifySlots(system.slots), map, groups, own, partitions, graphs, everywhere };
}

/** Returns the partition of each slot in the matrix of a dispatcher. */
export function planSlotPartitions(system: System, id: string): IdentifiedRuns | null {
  if (system.slots === null) return null;
  const partitions = listPartitions(system, id);
  const runs = renameOwners(system.slots.map, (group) => partitions[group]!);
  const { matrices } = system;
  const groupsBelow = createGroupsBelow(system);
  const groups = matrices.get(id)!.partitions.map(([replica]) => [...groupsBelow(replica!)]);
  return { ...runs, id: identifySlots(system.slots), groups };
}

/** Returns the partition of each group; -1: not below the dispatcher. */
function listPartitions(system: System, id: string): readonly number[] {
  const groupsBelow = createGroupsBelow(system);
  const below = system.matrices.get(id)!.partitions.map(([replica]) => groupsBelow(replica!));
  return system.slots!.groups.map((group) => below.findIndex((groups) => groups.has(group)));
}
