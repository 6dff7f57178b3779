// Numeric values of arcs, for sorting, sums and expressions.

import { FLOAT_MODIFIER, MODIFIERS, valueFromBits } from "./modifiers.js";

/** Returns true if the value of an arc is a float. */
export function isFloatArc(word1: number): boolean {
  return (word1 & FLOAT_WORD) !== 0;
}

const FLOAT_WORD = FLOAT_MODIFIER << 8;

/** Returns the numeric value of an arc; 0 for M_STAT, although it is shown as 1. */
export function arcSortValue(word1: number, value: number): number {
  // A bit test is faster than the table.
  if (isFloatArc(word1)) return valueFromBits("float", value);
  switch (KIND_CODES[(word1 >>> 8) & 0x1f]) {
    case KindCode.int:
      return value | 0;
    case KindCode.uint:
      return value;
    default:
      return 0;
  }
}

/** Value kinds by modifier, as numbers: comparing strings per arc is too slow. */
const KindCode = { unit: 0, int: 1, uint: 2, float: 3 } as const;
const KIND_CODES = Uint8Array.from(MODIFIERS, (modifier) => KindCode[modifier?.kind ?? "unit"]);
