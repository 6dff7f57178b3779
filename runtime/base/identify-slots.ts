// Id of a slot map, by which dispatchers check that back-ends use the same map.

import { createHash } from "node:crypto";
import type { SlotPlan } from "./instance-slots.js";
import { namedOwners } from "./slot-record.js";

/** Returns 16 hexadecimal digits, equal for equal owners. Ignores groups without slots. */
export function identifySlots(
  plan: Pick<SlotPlan, "map" | "groups" | "graphs" | "everywhere">,
): string {
  const { graphs, everywhere } = plan;
  const text = JSON.stringify({ ...namedOwners(plan), graphs, everywhere });
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
