// `in`: membership in a collection, substring test, or range test.

import { PackedValue, PropertyKind } from "../store/property-values.js";
import { equals } from "./operators.js";
import { packedNumbers, packedPairs } from "./packed.js";
import { Pattern } from "./pattern.js";
import { indexOfText } from "./substring-search.js";
import {
  Bits,
  isInt,
  isNumeric,
  rawBits,
  SetValue,
  toComparable,
  type Value,
  VectorValue,
} from "./values.js";

const LOW_BITS = 0xffff_ffffn;

/** `value in range(low, high)` */
export function isWithin(value: Value, low: number | bigint, high: number | bigint): boolean {
  if (!isNumeric(value)) return false;
  const number = toComparable(value);
  return number >= low && number < high;
}

/**
 * Returns whether a value is in a set, string, list, map or bits, or names a feature of a vector.
 */
export function isMember(value: Value, members: Value): boolean {
  if (members instanceof SetValue) {
    for (const item of members.items) if (equals(value, item)) return true;
    return false;
  }
  if (typeof members === "string") {
    if (value instanceof Pattern) return value.matches(members);
    return typeof value === "string" && indexOfText(value, members) >= 0;
  }
  if (members instanceof PackedValue) return isPacked(value, members);
  if (members instanceof Bits) {
    if (!(isInt(value) || value instanceof Bits)) return false;
    const bits = rawBits(value);
    return (bits & members.value) === bits;
  }
  if (members instanceof VectorValue) return hasFeature(members, value);
  return false;
}

function hasFeature({ parts }: VectorValue, name: Value): boolean {
  return parts.isFeatures && parts.features.pairs().some((feature) => feature[0] === name);
}

function isPacked(value: Value, members: PackedValue): boolean {
  if (members.kind === PropertyKind.Map) {
    return (
      isInt(value) &&
      packedPairs(members).some(({ key }) => key === Number(rawBits(value) & LOW_BITS))
    );
  }
  if (!isNumeric(value)) return false;
  const numbers = packedNumbers(members);
  for (let at = 0; at < numbers.length; at++) if (equals(value, numbers[at]!)) return true;
  return false;
}
