// One property value in a cell of 64 bits, low word first. A number is its float64; the bits of the
// NaNs that no number needs say what else it is:
//
//   high word                low word
//   anything else            any          float64; NaN is 0x7ff80000, 0
//   0xfff80000 | kind        pointer      into StringPool, or nothing; kind as in PropertyKind
//   0xfffc0000 | bits 32-49  bits 0-31    integral float, two's complement
//
// Cells are only ever copied as words: as a float64, a NaN may come back with other bits. Integral
// floats of 2^49 and more are kept as plain numbers, and look like integers.

import { PropertyKind } from "./property-values.js";

const MARK = 0xfff8_0000;
/** The mark alone, behind this shift: words above 2^31 are compared faster as parts. */
const MARK_SHIFT = 19;
const SHIFTED_MARK = MARK >>> MARK_SHIFT;
const FLOAT_BIT = 0x4_0000;
const KIND_MASK = FLOAT_BIT - 1;
const FLOAT_SHIFT = 18;
const SHIFTED_FLOAT = (MARK | FLOAT_BIT) >>> FLOAT_SHIFT;
const NAN_HIGH = 0x7ff8_0000;
const MAX_INTEGRAL_FLOAT = 2 ** 49 - 1;
/** Bits of the high word that are not the number's: shifts by them extend its sign. */
const FLOAT_MARK_BITS = 14;
const TWO_32 = 2 ** 32;

const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);

/** The cell that one of these functions made last. */
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

/** @param kind neither of the numbers */
export function makePointerCell(kind: number, pointer: number): void {
  lastCell.high = MARK + kind;
  lastCell.low = pointer;
}

/** One of `PropertyKind`, if the high word is that of a cell. */
export function kindOfCell(high: number): number {
  if (high >>> MARK_SHIFT !== SHIFTED_MARK) return PropertyKind.Number;
  return (high & FLOAT_BIT) !== 0 ? PropertyKind.Float : high & KIND_MASK;
}

/** True for an integral real, whose bits are not those of its number. */
export function isFloatCell(high: number): boolean {
  return high >>> FLOAT_SHIFT === SHIFTED_FLOAT;
}

/** The number in a cell; NaN if there is none, which is what the bits of anything else say. */
export function numberOfCell(high: number, low: number): number {
  if (isFloatCell(high)) {
    return ((high << FLOAT_MARK_BITS) >> FLOAT_MARK_BITS) * TWO_32 + low;
  }
  words[0] = low;
  words[1] = high;
  return number[0]!;
}
