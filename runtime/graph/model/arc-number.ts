// The value of an arc where it counts as a number, as sorting, sums and expressions see it.

import { FLOAT_MODIFIER, MODIFIERS, valueFromBits } from "./modifiers.js";

/** Whether the value of an arc is a real. */
export function isFloatArc(word1: number): boolean {
  return (word1 & FLOAT_WORD) !== 0;
}

const FLOAT_WORD = FLOAT_MODIFIER << 8;

/** The value of an arc where it counts as a number: 0 for M_STAT, though that shows 1. */
export function sortValueOf(word1: number, value: number): number {
  // A bit is faster than the table.
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

/** Kinds of values as numbers, by modifier: texts are too slow to be asked for each arc. */
const KindCode = { unit: 0, int: 1, uint: 2, float: 3 } as const;
const KIND_CODES = Uint8Array.from(MODIFIERS, (modifier) => KindCode[modifier?.kind ?? "unit"]);
