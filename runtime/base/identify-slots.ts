// Identification of a slot map, for back-ends and dispatchers to compare.

import { createHash } from "node:crypto";
import type { SlotPlan } from "./instance-slots.js";
import { namedOwners } from "./slot-record.js";

/** Returns 16 hexadecimal digits, equal for equal owners: groups without slots do not count. */
export function identifySlots(
  plan: Pick<SlotPlan, "map" | "groups" | "graphs" | "everywhere">,
): string {
  const { graphs, everywhere } = plan;
  const text = JSON.stringify({ ...namedOwners(plan), graphs, everywhere });
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
