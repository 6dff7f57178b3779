// Conditions on numbers as closed ranges, compared with the conditions themselves.

import { suite } from "uvu";
import * as assert from "uvu/assert";
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
} from "../../../../../runtime/graph/model/constants.js";
import {
  closedRange,
  parseValueCondition,
  testNumber,
} from "../../../../../runtime/graph/query/match/value-condition.js";

const test = suite("closed ranges");
const { MAX_VALUE, MIN_VALUE, MAX_SAFE_INTEGER, POSITIVE_INFINITY, EPSILON } = Number;
const NUMBERS = [
  0,
  MIN_VALUE,
  1,
  1 + EPSILON,
  2,
  50,
  MAX_SAFE_INTEGER,
  MAX_VALUE,
  POSITIVE_INFINITY,
]
  .flatMap((number) => [number, -number])
  .concat(1 - EPSILON / 2, 2.2250738585072014e-308, Number.NaN);

test("contain a number exactly if it meets the condition", () => {
  let ranges = 0;
  for (const code of [V_LTE, V_GT, V_GTE, V_LT, V_EQ, V_NEQ]) {
    for (const bound of NUMBERS) ranges += checkRange([code, bound]);
  }
  for (const code of [V_RANGE, V_NRANGE]) {
    for (const low of NUMBERS)
      for (const high of NUMBERS) ranges += checkRange([code, [low, high]]);
  }
  assert.is(ranges, 5 * NUMBERS.length + NUMBERS.length ** 2);
});

/** Compares a condition with its range; returns 0 if it has none, else 1. */
function checkRange(condition: unknown): number {
  const parsed = parseValueCondition(condition);
  const range = closedRange(parsed);
  if (range === null) return 0;
  for (const number of NUMBERS) {
    const isInside = number >= range.low && number <= range.high;
    assert.is(isInside, testNumber(parsed, number), `${JSON.stringify(condition)}: ${number}`);
  }
  return 1;
}

test("do not represent conditions beyond comparisons of numbers", () => {
  for (const condition of [null, "a", "a*", [V_ANY, 1], [V_NEQ, 5], { in: [1, 2] }]) {
    assert.is(closedRange(parseValueCondition(condition)), null);
  }
});

test.run();
