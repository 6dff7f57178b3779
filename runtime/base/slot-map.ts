// Which owner each slot has. A map is written as runs, so that it stays small in a descriptor and
// between threads; looked up in an array.

import { MAX_SLOTS } from "./limits.js";
import { slotOfKey } from "./slot-of-key.js";

/** The slots from `first` to the next run belong to `owner`; -1: to none of this map. */
export type SlotRun = readonly [first: number, owner: number];

/** A map in the configuration of a dispatcher. */
export interface IdentifiedRuns extends SlotRuns {
  /** Of the map of the system; undefined: answers of any map are merged. */
  readonly id?: string;
  /** Groups of each partition, by which a later map of the system applies. */
  readonly groups?: readonly (readonly string[])[];
}

export interface SlotRuns {
  /** Number of slots, a power of two. */
  readonly count: number;
  /** In ascending order; the first one begins at slot 0. */
  readonly runs: readonly SlotRun[];
}

/** Divides the slots into ranges, one per owner, which differ by one slot at most. */
export function divideSlots(count: number, owners: number): SlotRuns {
  const runs = Array.from({ length: owners }, (_, owner): SlotRun => {
    return [Math.ceil((owner * count) / owners), owner];
  });
  return { count, runs };
}

/** Returns which of equal shares of the slots a key is in. */
export function findShare(key: string, shares: number): number {
  return Math.floor((slotOfKey(key, MAX_SLOTS) * shares) / MAX_SLOTS);
}

/** Returns a map with other owners; `-1` stays. */
export function renameOwners({ count, runs }: SlotRuns, rename: (owner: number) => number) {
  const renamed: SlotRun[] = [];
  for (const [first, owner] of runs) {
    const next = owner < 0 ? owner : rename(owner);
    if (renamed.at(-1)?.[1] !== next) renamed.push([first, next]);
  }
  return { count, runs: renamed } satisfies SlotRuns;
}

export class SlotMap {
  readonly count: number;
  readonly #owners: Int16Array;

  constructor({ count, runs }: SlotRuns) {
    this.count = count;
    this.#owners = new Int16Array(count);
    for (const [first, owner] of runs) this.#owners.fill(owner, first);
  }

  slotOf(key: string): number {
    return slotOfKey(key, this.count);
  }

  /** Returns the owner of a slot; -1: none. */
  ownerOf(slot: number): number {
    return this.#owners[slot]!;
  }

  /** Returns the owner of a key; -1: none. */
  ownerOfKey(key: string): number {
    return this.#owners[slotOfKey(key, this.count)]!;
  }
}
