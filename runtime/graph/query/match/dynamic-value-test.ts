// Comparisons of an arc's value with that of the previous arc of the path (queries, "Comparing with
// the previous arc"). They are resolved to the ranges of arc-value-test.ts before the arcs of a
// vertex are tested.

import {
  V_DYN_DELTA,
  V_DYN_GT,
  V_DYN_GTE,
  V_DYN_LT,
  V_DYN_LTE,
  V_DYN_NEQ,
  V_DYN_RATIO,
} from "../../model/constants.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import { MODIFIERS, valueFromBits } from "../../model/modifiers.js";
import { type ArcLiteral, type ArcValueTest, rangeTest } from "./arc-value-test.js";

export function isArcRelative(comparison: number): boolean {
  return comparison >= V_DYN_DELTA && comparison <= V_DYN_NEQ;
}

/**
 * Checks the literal of a dynamic comparison.
 * @throws QueryError
 */
export function checkDynamic(comparison: number, literal: unknown): void {
  const isPair = comparison === V_DYN_DELTA || comparison === V_DYN_RATIO;
  const numbers = isPair ? literal : [literal];
  if (isPair && (!Array.isArray(literal) || literal.length !== 2)) {
    throw invalidArgument("Invalid arc value range: Must be 2-tuple", literal, "[least, greatest]");
  }
  if (!(numbers as unknown[]).every((number) => Number.isFinite(number))) {
    throw invalidArgument("Invalid modifier value", literal, "a finite number, or two");
  }
}

/**
 * Returns the test of a comparison with a previous arc; null if the value of that arc is of another
 * kind, so that no arc passes.
 * @param word1 word 1 of the previous arc
 * @param bits value of the previous arc
 */
export function dynamicTest(
  modifier: number,
  comparison: number,
  literal: ArcLiteral,
  word1: number,
  bits: number,
): ArcValueTest | null {
  const kind = MODIFIERS[modifier]!.kind;
  if (MODIFIERS[(word1 >>> 8) & 0x1f]?.kind !== kind) return null;
  const [low, high] = dynamicBounds(comparison, literal, valueFromBits(kind, bits));
  const isOpen = comparison === V_DYN_LT || comparison === V_DYN_GT;
  return rangeTest(kind, low, high, { isOpen, isOutside: comparison === V_DYN_NEQ });
}

function dynamicBounds(
  comparison: number,
  literal: ArcLiteral,
  previous: number,
): readonly [low: number, high: number] {
  if (typeof literal !== "number") {
    const [a, b] = literal;
    if (comparison === V_DYN_DELTA) return [previous + a, previous + b];
    // A negative factor swaps the bounds.
    return previous < 0 ? [previous * b, previous * a] : [previous * a, previous * b];
  }
  const value = previous + literal;
  switch (comparison) {
    case V_DYN_LT:
    case V_DYN_LTE:
      return [Number.NEGATIVE_INFINITY, value];
    case V_DYN_GT:
    case V_DYN_GTE:
      return [value, Number.POSITIVE_INFINITY];
    default:
      return [value, value];
  }
}
