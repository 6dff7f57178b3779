// Vector arithmetic. Sums, differences and multiples are new int8 vectors; the product of two
// vectors is a number. Out-of-range results are NaN.

import { ValueError } from "../model/errors.js";
import { DOT_PRODUCT } from "../vectors/measures/dot-product.js";
import { compareVectors, computeSimilarity } from "../vectors/measures/measures.js";
import {
  computeHamming,
  equalComponents,
  meanVector,
  type VectorParts,
} from "../vectors/vector-parts.js";
import type { Context } from "./context.js";
import { asNumber, boxedReal, isNumeric, type Value, VectorValue } from "./values.js";

/** Number of components that count as one step of the work limit. */
const COMPONENTS_PER_STEP = 256;

/** Returns `a operator b`. At least one operand is a vector. */
export function vectorSum(operator: string, a: Value, b: Value): Value {
  if (a instanceof VectorValue && b instanceof VectorValue) {
    if (operator === "+") return combineVectors([a.parts, b.parts], [1, 1]);
    if (operator === "-") return combineVectors([a.parts, b.parts], [1, -1]);
    return operator === "*" ? multiplyVectors(a.parts, b.parts) : Number.NaN;
  }
  if (operator !== "*") return Number.NaN;
  if (a instanceof VectorValue && isNumeric(b)) return scaleVector(a, asNumber(b));
  return b instanceof VectorValue && isNumeric(a) ? scaleVector(b, asNumber(a)) : Number.NaN;
}

/** Multiplies each component of a vector. */
export function scaleVector({ parts }: VectorValue, factor: number): Value {
  return Number.isFinite(factor) ? combineVectors([parts], [factor]) : Number.NaN;
}

/**
 * Returns whether two vectors are as similar as the graph's settings require; by default, equal.
 */
export function areSimilar(
  x: Context,
  { parts: a }: VectorValue,
  { parts: b }: VectorValue,
): boolean {
  if (equalComponents(a, b)) return true;
  const { settings, measure } = x.run;
  const { sim_threshold: minSimilarity, hamming_threshold: maxDistance } = settings;
  if (minSimilarity >= 1 || a.isFeatures !== b.isFeatures) return false;
  return (
    computeSimilarity(a, b, settings, measure) >= minSimilarity &&
    !(a.isFeatures && computeHamming(a, b) > maxDistance)
  );
}

/** Charges the creation of a value. */
export function chargeVector(x: Context, value: Value): Value {
  if (value instanceof VectorValue) x.run.spend(value.parts.bytes.length / COMPONENTS_PER_STEP);
  return value;
}

function multiplyVectors(a: VectorParts, b: VectorParts): Value {
  if (a.isFeatures || b.isFeatures) return Number.NaN;
  return boxedReal(compareVectors(DOT_PRODUCT, a, b));
}

function combineVectors(vectors: readonly VectorParts[], factors: readonly number[]): Value {
  try {
    return new VectorValue(meanVector(vectors, factors, "vector"));
  } catch (error) {
    if (error instanceof ValueError) return Number.NaN;
    throw error;
  }
}
