// Conditions on one value: `5`, `"a*"`, `[V_GT, 5]`, `{ between: [1, 9] }`. Parsed once, then
// tested against plain values here and against property cells in property-condition.ts.

import {
  V_ANY,
  V_EQ,
  V_GT,
  V_GTE,
  V_LT,
  V_LTE,
  V_NEQ,
  V_NRANGE,
  V_RANGE,
} from "../../model/constants.js";
import { atArgumentPath, invalidArgument } from "../../model/invalid-argument.js";
import { parseNamedComparison } from "./named-comparison.js";

/** A parsed value condition. `code` is one of V_ANY to V_NRANGE. */
export interface ValueTest {
  readonly code: number;
  /** Bounds; equal for a comparison with one number. Integers and floats compare alike. */
  readonly low: number;
  readonly high: number;
  /** String to equal or to start with; null for numbers. */
  readonly text: string | null;
  readonly isPrefix: boolean;
  /** Alternatives that replace the rest; null if there are none. */
  readonly among: readonly ValueTest[] | null;
}

const CODES: ReadonlySet<unknown> = new Set([
  ...[V_ANY, V_LTE, V_GT, V_GTE, V_LT, V_EQ, V_NEQ, V_RANGE, V_NRANGE],
]);
const PLAIN = { low: 0, high: 0, text: null, isPrefix: false, among: null } as const;
const ANY: ValueTest = { ...PLAIN, code: V_ANY };
const FITS = "a value, [V_GT, value], [V_RANGE, [low, high]], { gt: value }, { in: [...] }";
const FORMS =
  "invalid condition, must be <value> or (comparison, <value>) or " +
  "(range_comparison, (<low>,<high>) )";

/**
 * Parses a condition; null and undefined pass anything.
 * @param plainCode meaning of a plain number: V_EQ, or V_GTE for times
 * @throws SvcError SVC2406 not a value condition; see (queries, "Value conditions")
 */
export function parseValueCondition(condition: unknown, plainCode = V_EQ): ValueTest {
  if (condition === null || condition === undefined) return ANY;
  const named = parseNamedComparison(condition);
  if (named !== null && "among" in named) {
    const among = Array.from(named.among, (alternative, index) =>
      parseAlternative(alternative, index),
    );
    return { ...PLAIN, code: V_EQ, low: Number.NaN, high: Number.NaN, among };
  }
  if (named !== null) return parseComparison(named.code, named.value, `.${named.name}`);
  if (!Array.isArray(condition)) return comparison(plainCode, condition);
  if (condition.length !== 2) throw invalidArgument("condition must be 2-tuple", condition, FITS);
  const [code, value]: unknown[] = condition;
  if (typeof code !== "number" || !CODES.has(code)) {
    throw invalidArgument(
      "invalid value comparison code",
      code,
      "V_EQ, V_GT and their like",
      "[0]",
    );
  }
  return parseComparison(code, value, "[1]");
}

/** @param at path step to the value */
function parseComparison(code: number, value: unknown, at: string): ValueTest {
  try {
    if (code === V_ANY) return ANY;
    if (code === V_RANGE || code === V_NRANGE) return range(code, value);
    return comparison(code, value);
  } catch (error) {
    throw atArgumentPath(error, at);
  }
}

function parseAlternative(value: unknown, index: number): ValueTest {
  try {
    return comparison(V_EQ, value);
  } catch (error) {
    throw atArgumentPath(error, `.in[${index}]`);
  }
}

/**
 * Parses a string that may end with a wildcard star; `\*` is a literal star.
 * @throws SvcError SVC2406 a star elsewhere
 */
export function parsePattern(pattern: string): { text: string; isPrefix: boolean } {
  const isPrefix = /(^|[^\\])\*$/.test(pattern);
  const body = isPrefix ? pattern.slice(0, -1) : pattern;
  if (/(^|[^\\])\*/.test(body)) {
    throw invalidArgument(
      `Unsupported wildcard: ${pattern}`,
      pattern,
      'one "*", at the end; "\\*" is a star',
    );
  }
  return { text: body.replaceAll("\\*", "*"), isPrefix };
}

/** Returns whether a number passes. NaN is unequal to everything. */
export function testNumber(test: ValueTest, value: number): boolean {
  if (test.among !== null) return test.among.some((alternative) => testNumber(alternative, value));
  if (test.text !== null) return test.code === V_NEQ;
  switch (test.code) {
    case V_ANY:
      return true;
    case V_LTE:
      return value <= test.high;
    case V_GT:
      return value > test.high;
    case V_GTE:
      return value >= test.low;
    case V_LT:
      return value < test.low;
    case V_EQ:
      return value === test.low;
    case V_NEQ:
      return value !== test.low;
    case V_RANGE:
      return value >= test.low && value <= test.high;
    default:
      return value < test.low || value > test.high;
  }
}

/** An inclusive range that holds exactly the numbers that pass. */
export interface ClosedRange {
  readonly low: number;
  readonly high: number;
}

/** Returns the range of the numbers that pass; null if they are not a range. */
export function closedRange({ code, low, high, text, among }: ValueTest): ClosedRange | null {
  if (text !== null || among !== null) return null;
  switch (code) {
    case V_LTE:
      return { low: Number.NEGATIVE_INFINITY, high };
    case V_GT:
      return { low: nextFloat(high, 1), high: Number.POSITIVE_INFINITY };
    case V_GTE:
      return { low, high: Number.POSITIVE_INFINITY };
    case V_LT:
      return { low: Number.NEGATIVE_INFINITY, high: nextFloat(low, -1) };
    case V_EQ:
    case V_RANGE:
      return { low, high };
    default:
      return null;
  }
}

const float = new Float64Array(1);
const bits = new BigInt64Array(float.buffer);

/** Returns the next float64 in a direction; NaN if there is none. */
function nextFloat(number: number, direction: 1 | -1): number {
  if (number === 0) return direction * Number.MIN_VALUE;
  if (number === direction * Number.POSITIVE_INFINITY || Number.isNaN(number)) return Number.NaN;
  float[0] = number;
  // The bits of floats sort by magnitude.
  bits[0]! += BigInt(Math.sign(number) * direction);
  return float[0]!;
}

/**
 * Returns whether a value passes. Strings are unordered; values other than numbers and strings pass
 * V_ANY only.
 */
export function testValue(test: ValueTest, value: unknown): boolean {
  if (test.code === V_ANY) return true;
  if (typeof value === "number") return testNumber(test, value);
  if (typeof value === "boolean") return testNumber(test, value ? 1 : 0);
  if (typeof value !== "string") return false;
  if (test.among !== null) return test.among.some((alternative) => equalsText(alternative, value));
  if (test.code !== V_EQ && test.code !== V_NEQ) return false;
  return equalsText(test, value) === (test.code === V_EQ);
}

/** Returns whether a string equals that of a condition, or starts with it. */
export function equalsText(test: ValueTest, value: string): boolean {
  if (test.text === null) return false;
  return test.isPrefix ? value.startsWith(test.text) : value === test.text;
}

function comparison(code: number, value: unknown): ValueTest {
  if (typeof value === "string") {
    // The code for plain values may be an ordering, which strings do not have.
    return { ...PLAIN, code, ...parsePattern(value) };
  }
  const number = toNumber(value);
  return { ...PLAIN, code, low: number, high: number };
}

function range(code: number, bounds: unknown): ValueTest {
  if (!Array.isArray(bounds) || bounds.length !== 2) {
    const text = "range comparison requires value tuple (min, max)";
    throw invalidArgument(text, bounds, "[least, greatest]");
  }
  const [low, high]: unknown[] = bounds;
  // Strings are unordered: such a range is valid and matches nothing.
  if (typeof low === "string" && typeof high === "string") {
    return { ...PLAIN, code, low: Number.NaN, high: Number.NaN, text: low };
  }
  return { ...PLAIN, code, low: toNumber(low), high: toNumber(high) };
}

function toNumber(value: unknown): number {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  throw invalidArgument(FORMS, value, "a number, a text or a boolean");
}
