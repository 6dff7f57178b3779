// Value tests of arc filters: every comparison of every kind of value against plain arithmetic, at
// the ends of the ranges, and rejected literals.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { nowSeconds } from "../../../../../runtime/graph/memory/time.js";
import {
  M_CNT,
  M_FLT,
  M_INT,
  M_LSH,
  M_TMX,
  V_EQ,
  V_GT,
  V_GTE,
  V_LT,
  V_LTE,
  V_NEQ,
  V_NRANGE,
  V_RANGE,
} from "../../../../../runtime/graph/model/constants.js";
import { QueryError } from "../../../../../runtime/graph/model/errors.js";
import { MODIFIERS, valueBits } from "../../../../../runtime/graph/model/modifiers.js";
import { ArcTest } from "../../../../../runtime/graph/query/match/arc-test.js";
import type { ArcLiteral } from "../../../../../runtime/graph/query/match/arc-value-test.js";

const test = suite("arc value test");

const MIN_INT = -(2 ** 31);
const MAX_INT = 2 ** 31 - 1;
const MAX_UINT = 2 ** 32 - 1;
const VALUES = new Map([
  [M_INT, [MIN_INT, -2, -1, 0, 1, 2, MAX_INT]],
  [M_CNT, [0, 1, 2, MAX_INT, 2 ** 31, MAX_UINT]],
  [M_FLT, [-3.4e38, -1.5, -1e-40, -0, 0, 1e-40, 0.1, 1.5, 3.4e38]],
]);

/** Whether an arc with this modifier and value passes. */
function passes(modifier: number, comparison: number, literal: ArcLiteral, value: number): boolean {
  const filter = { direction: 0, relationship: null, isForwardOnly: false, isNegated: false };
  const arc = new ArcTest({ ...filter, modifier, comparison, literal } as never);
  return arc.matches(modifier << 8, valueBits(MODIFIERS[modifier]!.kind, value));
}

const COMPARISONS: readonly (readonly [number, (value: number, literal: number) => boolean])[] = [
  [V_LT, (value, literal) => value < literal],
  [V_LTE, (value, literal) => value <= literal],
  [V_GT, (value, literal) => value > literal],
  [V_GTE, (value, literal) => value >= literal],
  [V_EQ, (value, literal) => value === literal],
  [V_NEQ, (value, literal) => value !== literal],
];

for (const [modifier, values] of VALUES) {
  const { name, kind } = MODIFIERS[modifier]!;
  const stored = (value: number): number => (kind === "float" ? Math.fround(value) : value);
  test(`${name}: compares with one value`, () => {
    for (const [comparison, compare] of COMPARISONS) {
      for (const literal of values) {
        for (const value of values) {
          const isPassing = passes(modifier, comparison, literal, value);
          const condition = `${value} V_ ${comparison} ${literal}`;
          assert.is(isPassing, compare(stored(value), stored(literal)), condition);
        }
      }
    }
  });
  test(`${name}: includes the ends of ranges, and accepts empty ranges`, () => {
    for (const low of values) {
      for (const high of values) {
        for (const value of values) {
          const isInside = stored(value) >= stored(low) && stored(value) <= stored(high);
          const condition = `${value} in ${low} ${high}`;
          assert.is(passes(modifier, V_RANGE, [low, high], value), isInside, condition);
          assert.is(passes(modifier, V_NRANGE, [low, high], value), !isInside, `not ${condition}`);
        }
      }
    }
  });
}

test("converts literals as the modifier would store them", () => {
  assert.ok(passes(M_CNT, V_EQ, 5.9, 5));
  assert.ok(passes(M_INT, V_EQ, -5.9, -5));
  assert.ok(passes(M_FLT, V_EQ, 0.1, 0.1));
  assert.ok(passes(M_TMX, V_LTE, -100, nowSeconds() + 90));
  assert.not(passes(M_TMX, V_LTE, -100, nowSeconds() + 1000));
});

test("passes all or nothing for literals outside the value range", () => {
  for (const modifier of [M_INT, M_CNT]) {
    for (const value of VALUES.get(modifier)!) {
      assert.ok(passes(modifier, V_LT, 2 ** 40, value));
      assert.not(passes(modifier, V_GT, 2 ** 40, value));
      assert.ok(passes(modifier, V_GT, -(2 ** 40), value));
      assert.ok(passes(modifier, V_NEQ, 2 ** 40, value));
      assert.not(passes(modifier, V_EQ, -(2 ** 40), value));
    }
  }
});

test("compares bit patterns by the number of differing bits", () => {
  const probe = 0xf0f0_0001;
  for (const [bits, distance] of [[probe, 0] as const, [probe ^ 7, 3], [~probe >>> 0, 32]]) {
    for (const modulus of [0, 2, 3, 15]) {
      assert.is(
        passes(M_LSH, V_LTE, [probe, modulus], bits),
        distance <= modulus,
        `${bits} ${modulus}`,
      );
      assert.is(
        passes(M_LSH, V_GT, [probe, modulus], bits),
        distance > modulus,
        `${bits} ${modulus}`,
      );
    }
  }
  assert.ok(passes(M_LSH, V_EQ, probe, probe));
});

const REFUSED: readonly (readonly [number, number, unknown, string])[] = [
  [M_INT, V_EQ, "5", "Invalid modifier value"],
  [M_INT, V_EQ, Number.NaN, "Invalid modifier value"],
  [M_INT, V_RANGE, 5, "Invalid arc value range: Must be 2-tuple"],
  [M_INT, V_RANGE, [1, 2, 3], "Invalid arc value range: Must be 2-tuple"],
  [M_INT, V_RANGE, [1, "2"], "Values in tuple must have the same type"],
  [M_LSH, V_LTE, 5, "Invalid LSH arc probe: (bits, distance) required"],
  [M_LSH, V_LTE, [5, "1"], "Invalid LSH arc probe: (bits, distance) required"],
  [M_LSH, V_LTE, [2 ** 32, 1], "Invalid LSH arc probe: (bits, distance) required"],
  [M_LSH, V_LTE, [5, 16], "LSH hamming distance must be 0 - 15"],
  [M_LSH, V_LTE, [5, -1], "LSH hamming distance must be 0 - 15"],
];

for (const [modifier, comparison, literal, message] of REFUSED) {
  const { name } = MODIFIERS[modifier]!;
  test(`${name}, V_ ${comparison}, ${JSON.stringify(literal)}: ${message}`, () => {
    assert.throws(
      () => passes(modifier, comparison, literal as ArcLiteral, 1),
      (error: unknown) =>
        error instanceof QueryError && error.code === "SVC2406" && error.problem === message,
    );
  });
}

test.run();
