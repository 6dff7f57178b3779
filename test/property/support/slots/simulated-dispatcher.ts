// A dispatcher with its requests, and the slots of their keys.

import { SlotMap } from "../../../../runtime/base/slot-map.js";
import type { SlotRecord } from "../../../../runtime/base/slot-record.js";

export const SLOTS = 16;
export const KEYS = 24;

export interface Dispatcher {
  record: SlotRecord;
  held: { readonly slots: readonly number[]; readonly withQueries: boolean } | null;
  readonly running: Set<Request>;
}

export interface Request {
  /** Null: for all groups. */
  readonly key: number | null;
  readonly isQuery: boolean;
}

/** Returns whether a request waits at a dispatcher. */
export function isHeld({ held }: Dispatcher, { key, isQuery }: Request): boolean {
  if (held === null || (isQuery && !held.withQueries)) return false;
  return key === null || held.slots.includes(keySlot(key));
}

export const keySlot = (key: number): number => key % SLOTS;

export function findOwner(record: SlotRecord, key: number): number {
  return new SlotMap(record.map).ownerOf(keySlot(key));
}
