// Maps slots to owners. Stored as runs, which are small in descriptors and messages, and expanded
// to an array for lookups.

import { MAX_SLOTS } from "./limits.js";
import { slotOfKey } from "./slot-of-key.js";

/** The slots from `first` to the next run belong to `owner`; -1: to no owner in this map. */
export type SlotRun = readonly [first: number, owner: number];

/** A map in the configuration of a dispatcher. */
export interface IdentifiedRuns extends SlotRuns {
  /** Id of the system's map; undefined: responses are merged regardless of their map. */
  readonly id?: string;
  /** Groups of each partition, which translate later maps of the system. */
  readonly groups?: readonly (readonly string[])[];
}

export interface SlotRuns {
  /** Number of slots, a power of two. */
  readonly count: number;
  /** In ascending order; the first run begins at slot 0. */
  readonly runs: readonly SlotRun[];
}

/** Divides the slots into one range per owner, whose sizes differ by at most one. */
export function divideSlots(count: number, owners: number): SlotRuns {
  const runs = Array.from({ length: owners }, (_, owner): SlotRun => {
    return [Math.ceil((owner * count) / owners), owner];
  });
  return { count, runs };
}

/** Returns the number of the share that contains a key, of equal shares of the slots. */
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
