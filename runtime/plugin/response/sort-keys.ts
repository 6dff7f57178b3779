// The sort keys of one response. Tracks their order and type, which the first key may determine,
// and validates that keys are in order.

import { inspect } from "node:util";
import { ResponseError } from "../../base/errors.js";
import { S_ASC, S_ID, S_NONE, S_VAL } from "../../base/sort-constants.js";
import {
  isDescending,
  isSortedPair,
  type KeyWire,
  type SortKey,
  sortbyText,
  sortClass,
  takesKeys,
} from "../../base/sort-order.js";

export class SortKeys {
  /** Number of keys added. */
  count = 0;
  #sortby: number;
  #keytype: KeyWire | null;
  /** An inferred `int` may still turn out to be `float`: JavaScript has one kind of number. */
  readonly #declared: boolean;
  #last: SortKey | null = null;
  #running = 0;

  constructor(sortby: number, keytype: KeyWire | null) {
    this.#sortby = sortby;
    this.#keytype = keytype;
    this.#declared = keytype !== null;
  }

  get sortby(): number {
    return this.#sortby;
  }

  get keytype(): KeyWire | null {
    return this.#keytype;
  }

  /**
   * Adds a key and returns its stored form. Values of other types are replaced: the nth such value
   * by n.
   * @throws ResponseError for an invalid key, without changing the state
   */
  add(value: unknown): SortKey {
    const sortKey = sortKeyOf(value);
    const key = sortKey ?? this.#runningKey();
    const keytype = this.#keytypeWith(key);
    const sortby = this.#sortbyWith(keytype);
    if (this.#last !== null && !isSortedPair(this.#last, key, sortby)) {
      const previous = inspect(this.#last);
      throw new ResponseError(
        `out of order sortkey ${inspect(key)} with previous ${previous} ` +
          `(sortby=${sortbyText(sortby)})`,
      );
    }
    this.#sortby = sortby;
    // Orders that accept every type leave the type open, unless it was declared.
    if (sortClass(sortby) !== "any") this.#keytype = keytype;
    this.#last = key;
    this.count++;
    if (sortKey === null) this.#running++;
    return key;
  }

  #runningKey(): number {
    if (!isDescending(this.#sortby)) return this.#running + 1;
    throw new ResponseError(`sortkey is required (sortby=${sortbyText(this.#sortby)})`);
  }

  /** Returns the key type in effect once the key is added. */
  #keytypeWith(key: SortKey): KeyWire {
    const actual = wireOf(key);
    const expected = this.#keytype;
    if (Number.isNaN(key) || !takesKeys(this.#sortby, actual)) {
      throw new ResponseError(
        `incompatible sortkey ${inspect(key)} (sortby=${sortbyText(this.#sortby)})`,
      );
    }
    if (expected === null || expected === actual) return actual;
    if (expected === "float" && actual === "int") return "float";
    if (expected === "int" && actual === "float" && !this.#declared) return "float";
    throw new ResponseError(`sortkey ${inspect(key)} must be '${expected}', not '${actual}'`);
  }

  #sortbyWith(keytype: KeyWire): number {
    if (sortClass(this.#sortby) !== "none") return this.#sortby;
    const kind = keytype === "int" || keytype === "float" ? S_VAL : S_ID;
    return kind | (this.#sortby === S_NONE ? S_ASC : this.#sortby);
  }
}

/** Returns the stored form of a key; null for values of other types. */
function sortKeyOf(value: unknown): SortKey | null {
  if (typeof value === "number" || typeof value === "string") return value;
  if (value instanceof Uint8Array) return value;
  if (typeof value !== "bigint") return null;
  if (Number.isSafeInteger(Number(value))) return Number(value);
  throw new ResponseError(`incompatible sortkey ${value} (beyond the safe integers)`);
}

function wireOf(key: SortKey): KeyWire {
  if (typeof key === "number") return Number.isSafeInteger(key) ? "int" : "float";
  return typeof key === "string" ? "str" : "bytes";
}
