// Maps slots to requests. Slots are the executor ids that clients see: 0-31 on the main port, 0-7
// on the admin port (stored as 32-39), each port's in four queues. A request takes a slot of the
// lowest queue that has a free one; slots are assigned round robin to the executors.

import { ADMIN_SLOTS, MAIN_SLOTS, MAX_QUEUE } from "../base/limits.js";
import { SLOTS } from "../base/wire/shared-state.js";
import type { ExecutorLink } from "./executor-link.js";
import type { PluginCall } from "./plugin-call.js";

/** First id of each queue and the end of the last (http-interface, "Ports"). */
const MAIN_QUEUES = [0, 3, 8, 15, MAIN_SLOTS] as const;
const ADMIN_QUEUES = [0, 2, 4, 6, ADMIN_SLOTS] as const;

/** Returns the number of a slot within its port: the `exec_id` that clients see. */
export function executorId(slot: number): number {
  return slot < MAIN_SLOTS ? slot : slot - MAIN_SLOTS;
}

/** No slot: all are taken, or no executor is alive. */
export const NO_SLOT = -1;

export class SlotTable {
  readonly #calls: (PluginCall | null)[] = new Array(SLOTS).fill(null);
  readonly #links: (ExecutorLink | null)[] = new Array(SLOTS).fill(null);
  readonly #serials = new Float64Array(SLOTS);
  /** Bit set of free slots: [main, admin]. */
  readonly #free: [number, number] = [-1, (1 << ADMIN_SLOTS) - 1];
  readonly #queueMasks = [queueMasks(MAIN_QUEUES), queueMasks(ADMIN_QUEUES)] as const;
  /** Executors for new requests; slot s belongs to executor s modulo their number. */
  #executors: readonly ExecutorLink[] = [];
  #shareMasks: readonly number[] = [];

  /** Assigns all slots to these executors, round robin. */
  share(executors: readonly ExecutorLink[]): void {
    this.#executors = executors;
    this.#shareMasks = executors.map((_, index) => shareMask(index, executors.length));
  }

  /** Returns the executor that a free slot belongs to. */
  owner(slot: number): ExecutorLink {
    return this.#executors[executorId(slot) % this.#executors.length]!;
  }

  /**
   * Returns a free slot of the lowest queue that has one, in the least loaded executor. A silent
   * executor is chosen only when no other has a free slot in any queue.
   */
  choose(port: 0 | 1, minQueue: number): number {
    let inSilent = NO_SLOT;
    for (let queue = minQueue; queue <= MAX_QUEUE; queue++) {
      const free = this.#free[port] & this.#queueMasks[port][queue]!;
      const slot = free === 0 ? NO_SLOT : this.#leastLoaded(free, port);
      if (slot === NO_SLOT) continue;
      if (!this.owner(slot).silent) return slot;
      if (inSilent === NO_SLOT) inSilent = slot;
    }
    return inSilent;
  }

  #leastLoaded(free: number, port: 0 | 1): number {
    let bestMask = 0;
    let bestLoad = Number.POSITIVE_INFINITY;
    for (let index = 0; index < this.#executors.length; index++) {
      const executor = this.#executors[index]!;
      const mask = free & this.#shareMasks[index]!;
      if (mask === 0 || !executor.alive) continue;
      const load = executor.silent ? executor.inFlight + SLOTS : executor.inFlight;
      if (load >= bestLoad) continue;
      bestMask = mask;
      bestLoad = load;
    }
    if (bestMask === 0) return NO_SLOT;
    const bit = 31 - Math.clz32(bestMask & -bestMask);
    return port === 0 ? bit : MAIN_SLOTS + bit;
  }

  take(slot: number, call: PluginCall, link: ExecutorLink): void {
    this.#calls[slot] = call;
    this.#links[slot] = link;
    this.#serials[slot] = call.serial;
    if (slot < MAIN_SLOTS) this.#free[0] &= ~(1 << slot);
    else this.#free[1] &= ~(1 << (slot - MAIN_SLOTS));
    link.inFlight++;
  }

  release(slot: number): void {
    this.#links[slot]!.inFlight--;
    this.#calls[slot] = null;
    this.#links[slot] = null;
    if (slot < MAIN_SLOTS) this.#free[0] |= 1 << slot;
    else this.#free[1] |= 1 << (slot - MAIN_SLOTS);
  }

  /**
   * Returns the request that holds a slot; null if the slot is free or its request was answered.
   */
  call(slot: number): PluginCall | null {
    return this.#calls[slot] ?? null;
  }

  link(slot: number): ExecutorLink | null {
    return this.#links[slot] ?? null;
  }

  /** Returns whether this request, answered or not, still holds the slot in this executor. */
  holds(slot: number, serial: number, link: ExecutorLink): boolean {
    return this.#links[slot] === link && this.#serials[slot] === serial;
  }

  /** Removes the request but keeps the slot taken until the executor releases it. */
  abandon(slot: number): void {
    this.#calls[slot] = null;
  }

  /** Yields the slots held in an executor. */
  *slotsOf(link: ExecutorLink): Generator<number> {
    for (let slot = 0; slot < SLOTS; slot++) if (this.#links[slot] === link) yield slot;
  }
}

function queueMasks(starts: readonly number[]): number[] {
  const masks: number[] = [];
  for (let queue = 0; queue <= MAX_QUEUE; queue++) {
    let mask = 0;
    for (let id = starts[queue]!; id < starts[queue + 1]!; id++) mask |= 1 << id;
    masks.push(mask);
  }
  return masks;
}

function shareMask(index: number, executors: number): number {
  let mask = 0;
  for (let id = index; id < MAIN_SLOTS; id += executors) mask |= 1 << id;
  return mask;
}
