// Slots of two groups, all of them owned by the first one.

import type { SlotPlan } from "../../../../runtime/base/instance-slots.js";

/** Types of anchors: `kind`. */
export const SLOT_PLAN: SlotPlan = {
  id: "0123456789abcdef",
  map: { count: 16, runs: [[0, 0]] },
  groups: ["B1", "B2"],
  own: 0,
  partitions: null,
  graphs: ["test"],
  everywhere: ["kind"],
};
/** Numbers of all slots. */
export const ALL_SLOTS = Array.from({ length: 16 }, (_, slot) => slot);
