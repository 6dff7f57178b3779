// What a vertex property can be: which values there are, which are refused, what adding to one
// gives. It knows nothing of where values lie.

import { InternalError } from "../errors.js";

/** A number that stays a float where it is integral: 7.0 as text, and in sums. */
export class Float {
  constructor(readonly value: number) {
    Object.freeze(this);
  }
}

/** Values that filters can look into; anything else that can be cloned is stored as it is. */
export type PropertyValue =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | readonly number[]
  | ReadonlyMap<number, number>
  | object;

/**
 * The name of a property, if it can be one; graph digest 1.8.
 * @throws ValueError "invalid property key: 'x'"
 */
export function checkedKey(_key: unknown): string {
  throw new InternalError("not written yet");
}

/**
 * The value, if it can be stored; booleans become 0 and 1.
 * @throws ValueError out of range or too large
 * @throws TypeError what cannot be cloned
 */
export function checkedValue(_value: unknown): PropertyValue {
  throw new InternalError("not written yet");
}

/**
 * What adding to a property gives.
 * @throws ValueError if it is no number
 */
export function increasedValue(
  _value: PropertyValue | undefined,
  _by: number | Float,
): number | Float {
  throw new InternalError("not written yet");
}
