// A value condition on integers (counts, degrees, seconds) as an inclusive range.

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
import { invalidArgument } from "../../model/invalid-argument.js";
import type { ValueTest } from "./value-condition.js";

export interface IntegerRange {
  readonly low: number;
  readonly high: number;
  /** True to match values outside the range. */
  readonly isOutside: boolean;
}

/**
 * @param refusal message of the error for values other than integers from `smallest` to `greatest`
 * @throws QueryError
 */
export function integerRange(
  test: ValueTest,
  [smallest, greatest]: readonly [number, number],
  refusal: string,
): IntegerRange {
  const { POSITIVE_INFINITY, NEGATIVE_INFINITY } = Number;
  const { code } = test;
  const fits = `whole numbers of ${smallest} to ${greatest}`;
  if (test.among !== null) throw invalidArgument(refusal, "in", fits);
  if (code === V_ANY) return { low: NEGATIVE_INFINITY, high: POSITIVE_INFINITY, isOutside: false };
  for (const bound of [test.low, test.high]) {
    const isWhole = test.text === null && Number.isSafeInteger(bound);
    if (!isWhole || bound < smallest || bound > greatest) {
      throw invalidArgument(refusal, test.text ?? bound, fits);
    }
  }
  const isOutside = code === V_NEQ || code === V_NRANGE;
  if (isOutside || code === V_EQ || code === V_RANGE) {
    return { low: test.low, high: test.high, isOutside };
  }
  if (code === V_GTE) return { low: test.low, high: POSITIVE_INFINITY, isOutside };
  if (code === V_GT) return { low: test.low + 1, high: POSITIVE_INFINITY, isOutside };
  if (code === V_LTE) return { low: NEGATIVE_INFINITY, high: test.high, isOutside };
  if (code === V_LT) return { low: NEGATIVE_INFINITY, high: test.high - 1, isOutside };
  throw invalidArgument("invalid value comparison code", code, "V_ANY to V_NRANGE");
}

export function isInRange(range: IntegerRange, value: number): boolean {
  return (value >= range.low && value <= range.high) !== range.isOutside;
}
