// A system of two groups, `B1` and `B2`, with the slots of one graph and a dispatcher.

import { divideSlots } from "../../runtime/base/slot-map.js";
import type { SlotRecord } from "../../runtime/base/slot-record.js";
import { readDescriptor } from "../../runtime/system/read-descriptor.js";

const SLOTS = 16;
export const ENGINE = { type: "builder", graph: "things" };

export const TWO_GROUPS = readDescriptor({
  name: "Moving",
  graphs: ["things"],
  slots: { graphs: ["things"], count: SLOTS },
  instances: {
    TD: { type: "dispatch", hport: 9990 },
    B1: { ...ENGINE, hport: 9100 },
    B2: { ...ENGINE, hport: 9110 },
  },
  topology: { dispatch: { TD: [{ partitions: ["B1", "B2"] }] } },
});

/** Each group has one half of the slots, and none moves. */
export const SETTLED: SlotRecord = {
  version: 0,
  map: divideSlots(SLOTS, 2),
  groups: ["B1", "B2"],
  move: null,
};
