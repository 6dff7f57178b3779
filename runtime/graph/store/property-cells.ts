// Property value in a 64-bit cell, low word first (NaN boxing). A number is stored as float64;
// unused NaN bit patterns encode everything else:
//
//   high word                low word
//   anything else            any          float64; NaN is 0x7ff80000, 0
//   0xfff80000 | kind        pointer      into StringPool, or nothing; kind as in PropertyKind
//   0xfffc0000 | bits 32-49  bits 0-31    integral float, two's complement
//
// Cells are always copied as words: a copy as float64 may change the bits of a NaN. Integral floats
// of 2^49 and more are stored as plain numbers and read as integers.

import { PropertyKind } from "./property-values.js";

const MARK = 0xfff8_0000;
/** Shift for comparing the mark: words above 2^31 are compared faster in parts. */
const MARK_SHIFT = 19;
const SHIFTED_MARK = MARK >>> MARK_SHIFT;
const FLOAT_BIT = 0x4_0000;
const KIND_MASK = FLOAT_BIT - 1;
const FLOAT_SHIFT = 18;
const SHIFTED_FLOAT = (MARK | FLOAT_BIT) >>> FLOAT_SHIFT;
const NAN_HIGH = 0x7ff8_0000;
const STRING_HIGH = MARK + PropertyKind.String;
const MAX_INTEGRAL_FLOAT = 2 ** 49 - 1;
/** Non-number bits of the high word: shifting by them extends the sign. */
const FLOAT_MARK_BITS = 14;
const TWO_32 = 2 ** 32;

const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);

/** Result of the last call of one of these functions. */
export const lastCell = { high: 0, low: 0 };

export function makeNumberCell(value: number): void {
  number[0] = value;
  const isNumber = !Number.isNaN(value);
  lastCell.high = isNumber ? words[1]! : NAN_HIGH;
  lastCell.low = isNumber ? words[0]! : 0;
}

export function makeFloatCell(value: number): void {
  if (Math.abs(value) > MAX_INTEGRAL_FLOAT) {
    makeNumberCell(value);
    return;
  }
  lastCell.high = (MARK | FLOAT_BIT | (Math.floor(value / TWO_32) & KIND_MASK)) >>> 0;
  lastCell.low = value >>> 0;
}

/** @param kind any kind but the two of numbers */
export function makePointerCell(kind: number, pointer: number): void {
  lastCell.high = MARK + kind;
  lastCell.low = pointer;
}

/** Returns the `PropertyKind` that a high word encodes. */
export function kindOfCell(high: number): number {
  if (high >>> MARK_SHIFT !== SHIFTED_MARK) return PropertyKind.Number;
  return (high & FLOAT_BIT) !== 0 ? PropertyKind.Float : high & KIND_MASK;
}

/** Returns true for a cell with a pointer, which is the same for equal values. */
export function isPointerCell(high: number): boolean {
  return kindOfCell(high) >= PropertyKind.String;
}

/** Returns true for a cell with the pointer of a string. */
export function isStringCell(high: number): boolean {
  return high === STRING_HIGH;
}

/** Returns true for an integral float, which is not stored as a float64. */
export function isFloatCell(high: number): boolean {
  return high >>> FLOAT_SHIFT === SHIFTED_FLOAT;
}

/** Returns the number in a cell; NaN if it contains something else. */
export function numberOfCell(high: number, low: number): number {
  if (isFloatCell(high)) {
    return ((high << FLOAT_MARK_BITS) >> FLOAT_MARK_BITS) * TWO_32 + low;
  }
  words[0] = low;
  words[1] = high;
  return number[0]!;
}
