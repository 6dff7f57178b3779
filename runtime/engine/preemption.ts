// Chooses requests to preempt. A client may fill every slot, and executors run their queues in
// order: another client would wait for all of them. Unclaimed requests return to the fair queue,
// where clients take turns. Claimed ones continue, and no slot is reserved: behind a proxy all
// clients look like one, and may use all slots.

import { nowMs } from "../base/clock.js";
import { PREEMPT_AFTER_MS } from "../base/limits.js";
import { SLOTS } from "../base/wire/shared-state.js";
import { type CallQueue, callClientKey } from "./call-queue.js";
import type { PluginCall } from "./plugin-call.js";
import type { SlotTable } from "./slot-table.js";

/**
 * Returns slots of clients that hold several, if a client without any has waited long enough;
 * unordered.
 */
export function preemptibleSlots(slots: SlotTable, waiting: CallQueue, port: 0 | 1): number[] {
  const held = new Map<string, number[]>();
  for (let slot = 0; slot < SLOTS; slot++) {
    const call = slots.call(slot);
    if (call === null || call.slots !== port) continue;
    const client = callClientKey(call);
    const mine = held.get(client);
    if (mine === undefined) held.set(client, [slot]);
    else mine.push(slot);
  }
  const before = nowMs() - PREEMPT_AFTER_MS;
  if (!someone(waiting.firsts(port), before, held)) return [];
  return [...held.values()].filter((mine) => mine.length > 1).flat();
}

/**
 * Slots of clients that hold several, except the slot of the request of each that came first, where
 * `newcomer` is the only request of its client. One executor runs the requests one after the other.
 */
export function overtakableSlots(slots: SlotTable, newcomer: PluginCall): number[] {
  const own = callClientKey(newcomer);
  const firsts = new Map<string, number>();
  const behind: number[] = [];
  for (let slot = 0; slot < SLOTS; slot++) {
    const call = slots.call(slot);
    if (call === null || call === newcomer) continue;
    const client = callClientKey(call);
    if (client === own) return [];
    const first = firsts.get(client);
    const isFirst = first === undefined || call.serial < slots.call(first)!.serial;
    if (isFirst) firsts.set(client, slot);
    const later = isFirst ? first : slot;
    if (later !== undefined) behind.push(later);
  }
  return behind;
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
