// Which requests give way. A client may have one of its requests in every slot, and executors take
// them one after the other: somebody who comes then would wait for all of them. What executors have
// not begun goes back to the line, where clients take turns. What they have begun stays, and no
// slot is kept free for others: behind a proxy all clients are one, and may use all there are.

import { nowMs } from "../base/clock.js";
import { PREEMPT_AFTER_MS } from "../base/limits.js";
import { SLOTS } from "../wire/shared-state.js";
import { type CallQueue, clientOf } from "./call-queue.js";
import type { PluginCall } from "./plugin-call.js";
import type { SlotTable } from "./slot-table.js";

/**
 * Slots of clients that hold several, where somebody has waited for a while who holds none; in no
 * order.
 */
export function preemptibleSlots(slots: SlotTable, waiting: CallQueue, port: 0 | 1): number[] {
  const held = new Map<string, number[]>();
  for (let slot = 0; slot < SLOTS; slot++) {
    const call = slots.call(slot);
    if (call === null || call.slots !== port) continue;
    const client = clientOf(call);
    const mine = held.get(client);
    if (mine === undefined) held.set(client, [slot]);
    else mine.push(slot);
  }
  const before = nowMs() - PREEMPT_AFTER_MS;
  if (!someone(waiting.firsts(port), before, held)) return [];
  return [...held.values()].filter((mine) => mine.length > 1).flat();
}

function someone(
  firsts: Iterable<readonly [string, PluginCall]>,
  before: number,
  held: ReadonlyMap<string, unknown>,
): boolean {
  for (const [client, { exchange }] of firsts) {
    if (exchange.t0Ms < before && !held.has(client)) return true;
  }
  return false;
}
