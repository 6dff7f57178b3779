// Value tests of arc filters as ranges of keys. A value's key is an int32 that sorts like the
// value, so one loop compares all kinds:
//
//   int32     the word                     uint32    the word, top bit flipped
//   float32   its bits; for negative values all but the sign flipped, which puts -0 just below 0

import { nowSeconds } from "../../memory/time.js";
import {
  M_LSH,
  V_GT,
  V_GTE,
  V_LT,
  V_LTE,
  V_NEQ,
  V_NRANGE,
  V_RANGE,
} from "../../model/constants.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import { MODIFIERS, type Modifier, type ValueKind, valueBits } from "../../model/modifiers.js";

/** Literal of a test: a number, a pair for ranges, bits and distance for M_LSH. */
export type ArcLiteral = number | readonly [number, number];

export interface ArcValueTest {
  /** XOR mask for the word: 0x80000000 for uint32, else 0. */
  readonly flip: number;
  /** XOR mask for negative words: 0x7fffffff for float32, else 0. */
  readonly fold: number;
  /** Range of keys; empty if `low` exceeds `high`. */
  readonly low: number;
  readonly high: number;
  /** True to match keys outside the range. */
  readonly isOutside: boolean;
  /** True if `low` is a bit pattern and `high` the maximum distance from it. */
  readonly isPattern: boolean;
}

export const MIN_KEY = -0x8000_0000;
export const MAX_KEY = 0x7fff_ffff;
const MAX_PATTERN_DISTANCE = 15;

/**
 * Returns the test of a comparison for the values of a modifier.
 * @throws QueryError invalid literal for the comparison
 */
export function arcValueTest(modifier: number, comparison: number, literal: unknown): ArcValueTest {
  const { kind, isTime } = kindOf(modifier);
  if (modifier === M_LSH && (comparison === V_LTE || comparison === V_GT)) {
    return patternTest(comparison, literal);
  }
  const [low, high] = bounds(comparison, literal, (value) => convertLiteral(kind, isTime, value));
  const isOutside = comparison === V_NEQ || comparison === V_NRANGE;
  if (kind === "float") return floatTest(comparison, low, high, isOutside);
  const from = low + (comparison === V_GT ? 1 : 0);
  const to = high - (comparison === V_LT ? 1 : 0);
  return integerTest(kind, from, to, isOutside);
}

/**
 * Returns the tests of a comparison, by modifier code, for all modifiers whose values are numbers
 * chosen by users. Times, bit patterns and arcs without a value never pass.
 * @throws QueryError invalid literal for the comparison
 */
export function arcValueTests(comparison: number, literal: unknown): (ArcValueTest | null)[] {
  return MODIFIERS.map((row) => {
    if (row === undefined || !isCompared(row)) return null;
    return arcValueTest(row.code, comparison, literal);
  });
}

function isCompared({ code, kind, initial, isRelative }: Modifier): boolean {
  return kind !== "unit" && initial !== "now" && !isRelative && code !== M_LSH;
}

/** Returns the test of an inclusive range of integers. */
function integerTest(kind: ValueKind, low: number, high: number, isOutside: boolean): ArcValueTest {
  const { least, greatest, flip } = kind === "int" ? INT : UINT;
  const from = Math.max(low, least);
  const to = Math.min(high, greatest);
  const isEmpty = from > to;
  return {
    flip,
    fold: 0,
    low: isEmpty ? MAX_KEY : from + flip,
    high: isEmpty ? MIN_KEY : to + flip,
    isOutside,
    isPattern: false,
  };
}

/** Returns the test of a range of numbers, without its finite bounds if it is open. */
export function rangeTest(
  kind: ValueKind,
  low: number,
  high: number,
  { isOpen, isOutside }: { readonly isOpen: boolean; readonly isOutside: boolean },
): ArcValueTest {
  if (kind === "float") {
    const comparison = !isOpen ? V_RANGE : Number.isFinite(low) ? V_GT : V_LT;
    return floatTest(comparison, Math.fround(low), Math.fround(high), isOutside);
  }
  const from = isOpen ? Math.floor(low) + 1 : Math.ceil(low);
  const to = isOpen ? Math.ceil(high) - 1 : Math.floor(high);
  return integerTest(kind, from, to, isOutside);
}

const INT = { least: MIN_KEY, greatest: MAX_KEY, flip: 0 };
const UINT = { least: 0, greatest: 0xffff_ffff, flip: MIN_KEY };

function kindOf(modifier: number): { kind: ValueKind; isTime: boolean } {
  const row = MODIFIERS[modifier]!;
  return { kind: row.kind, isTime: row.name === "M_TMX" };
}

/** Returns the bounds of a comparison, both included if possible. */
function bounds(
  comparison: number,
  literal: unknown,
  convert: (value: unknown) => number,
): [low: number, high: number] {
  if (comparison === V_RANGE || comparison === V_NRANGE) {
    if (!Array.isArray(literal) || literal.length !== 2) {
      throw invalidArgument(
        "Invalid arc value range: Must be 2-tuple",
        literal,
        "[least, greatest]",
      );
    }
    const [low, high]: unknown[] = literal;
    if (typeof low !== typeof high) {
      throw invalidArgument("Values in tuple must have the same type", literal, "two numbers");
    }
    return [convert(low), convert(high)];
  }
  const value = convert(literal);
  const isBelow = comparison === V_LT || comparison === V_LTE;
  const isAbove = comparison === V_GT || comparison === V_GTE;
  return [isBelow ? Number.NEGATIVE_INFINITY : value, isAbove ? Number.POSITIVE_INFINITY : value];
}

/** Converts a literal to the value that the modifier would store. */
function convertLiteral(kind: ValueKind, isRelative: boolean, value: unknown): number {
  if (typeof value !== "number" || Number.isNaN(value)) {
    throw invalidArgument("Invalid modifier value", value, "a number");
  }
  if (kind === "float") return Math.fround(value);
  const whole = Math.trunc(value);
  return isRelative && whole < 0 ? nowSeconds() - whole : whole;
}

function floatTest(
  comparison: number,
  low: number,
  high: number,
  isOutside: boolean,
): ArcValueTest {
  // 0 and -0 are equal but have different keys: a range with one includes both.
  let first = low === 0 ? -1 : floatKey(low);
  let last = high === 0 ? 0 : floatKey(high);
  if (comparison === V_GT) first = (low === 0 ? 0 : first) + 1;
  if (comparison === V_LT) last = (high === 0 ? -1 : last) - 1;
  return { flip: 0, fold: 0x7fff_ffff, low: first, high: last, isOutside, isPattern: false };
}

function floatKey(value: number): number {
  const word = valueBits("float", value) | 0;
  return word < 0 ? word ^ 0x7fff_ffff : word;
}

function patternTest(comparison: number, literal: unknown): ArcValueTest {
  const [bits, distance]: unknown[] = Array.isArray(literal) ? literal : [];
  if (!isWord(bits) || typeof distance !== "number" || (literal as unknown[]).length !== 2) {
    const fits = "[bits, distance], 32 bits and 0 to 15";
    throw invalidArgument("Invalid LSH arc probe: (bits, distance) required", literal, fits);
  }
  if (!(distance >= 0 && distance <= MAX_PATTERN_DISTANCE)) {
    throw invalidArgument("LSH hamming distance must be 0 - 15", distance, "0 to 15", "[1]");
  }
  const isOutside = comparison === V_GT;
  return {
    flip: 0,
    fold: 0,
    low: bits | 0,
    high: Math.trunc(distance),
    isOutside,
    isPattern: true,
  };
}

function isWord(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 0xffff_ffff;
}
