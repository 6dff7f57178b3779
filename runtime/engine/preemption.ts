// Chooses requests to preempt. One client may fill all slots, and executors run their queues in
// order, so that another client would wait for all these requests. Therefore unclaimed requests
// return to the fair queue, where clients take turns. Claimed requests continue. No slot is
// reserved, because all clients behind a proxy look like one, which may use all slots.

import { nowMs } from "../base/clock.js";
import { PREEMPT_AFTER_MS } from "../base/limits.js";
import { SLOTS } from "../base/wire/shared-state.js";
import { type CallQueue, callClientKey } from "./call-queue.js";
import type { PluginCall } from "./plugin-call.js";
import type { SlotTable } from "./slot-table.js";

/**
 * Returns the slots of clients that hold several, if a client without a slot has waited long
 * enough; unordered.
 */
export function preemptibleSlots(slots: SlotTable, waiting: CallQueue, port: 0 | 1): number[] {
  const held = new Map<string, number[]>();
  for (let slot = 0; slot < SLOTS; slot++) {
    const call = slots.call(slot);
    if (call === null || call.slots !== port) continue;
    const client = callClientKey(call);
    const ownSlots = held.get(client);
    if (ownSlots === undefined) held.set(client, [slot]);
    else ownSlots.push(slot);
  }
  const waitingSince = nowMs() - PREEMPT_AFTER_MS;
  if (!hasWaitingClient(waiting.firsts(port), waitingSince, held)) return [];
  return [...held.values()].filter((ownSlots) => ownSlots.length > 1).flat();
}

/**
 * Returns the slots of all requests of other clients except their first ones, if `newcomer` is the
 * only request of its client, which may overtake them. For executors that run one request at a
 * time.
 */
export function overtakableSlots(slots: SlotTable, newcomer: PluginCall): number[] {
  const newClient = callClientKey(newcomer);
  const firsts = new Map<string, number>();
  const later: number[] = [];
  for (let slot = 0; slot < SLOTS; slot++) {
    const call = slots.call(slot);
    if (call === null || call === newcomer) continue;
    const client = callClientKey(call);
    if (client === newClient) return [];
    const first = firsts.get(client);
    const isFirst = first === undefined || call.serial < slots.call(first)!.serial;
    if (isFirst) firsts.set(client, slot);
    const laterSlot = isFirst ? first : slot;
    if (laterSlot !== undefined) later.push(laterSlot);
  }
  return later;
}

function hasWaitingClient(
  firsts: Iterable<readonly [string, PluginCall]>,
  before: number,
  held: ReadonlyMap<string, unknown>,
): boolean {
  for (const [client, { exchange }] of firsts) {
    if (exchange.t0Ms < before && !held.has(client)) return true;
  }
  return false;
}
