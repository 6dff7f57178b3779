// Arithmetic of vectors. Sums, differences and multiples are made anew, with components as int8; a
// product of two is a number. What is too large for a vector is NaN.

import { ValueError } from "../model/errors.js";
import {
  dot,
  hammingOf,
  meanVector,
  similarityOf,
  type VectorParts,
} from "../vectors/vector-parts.js";
import type { Context } from "./context.js";
import { boxedReal, isNumeric, numberIn, type Value, VectorValue } from "./values.js";

/** Components that cost as much as an arc that is looked at. */
const COMPONENTS_A_STEP = 256;

/** `a operator b`, of which at least one is a vector. */
export function vectorSum(operator: string, a: Value, b: Value): Value {
  if (a instanceof VectorValue && b instanceof VectorValue) {
    if (operator === "+") return made([a.parts, b.parts], [1, 1]);
    if (operator === "-") return made([a.parts, b.parts], [1, -1]);
    return operator === "*" ? product(a.parts, b.parts) : Number.NaN;
  }
  if (operator !== "*") return Number.NaN;
  if (a instanceof VectorValue && isNumeric(b)) return multiple(a, numberIn(b));
  return b instanceof VectorValue && isNumeric(a) ? multiple(b, numberIn(a)) : Number.NaN;
}

/** A vector, each component of which is so many times as large. */
export function multiple({ parts }: VectorValue, factor: number): Value {
  return Number.isFinite(factor) ? made([parts], [factor]) : Number.NaN;
}

/** As like each other as the graph's settings ask; unless told the same. */
export function matches(x: Context, { parts: a }: VectorValue, { parts: b }: VectorValue): boolean {
  if (equalVectors(a, b)) return true;
  const { settings } = x.run;
  const { sim_threshold: least, hamming_threshold: most } = settings;
  if (least >= 1 || a.isFeatures !== b.isFeatures) return false;
  return similarityOf(a, b, settings) >= least && !(a.isFeatures && hammingOf(a, b) > most);
}

/** Same components and scale. */
export function equalVectors(a: VectorParts, b: VectorParts): boolean {
  const { length } = a.bytes;
  if (a.isFeatures !== b.isFeatures || a.scale !== b.scale || length !== b.bytes.length)
    return false;
  return a.bytes.every((byte, index) => byte === b.bytes[index]);
}

/** Charges a value for its making. */
export function countVectorWork(x: Context, value: Value): Value {
  if (value instanceof VectorValue) x.run.spend(value.parts.bytes.length / COMPONENTS_A_STEP);
  return value;
}

function product(a: VectorParts, b: VectorParts): Value {
  if (a.isFeatures || b.isFeatures) return Number.NaN;
  return boxedReal(a.scale * b.scale * dot(a.bytes, b.bytes));
}

function made(vectors: readonly VectorParts[], factors: readonly number[]): Value {
  try {
    return new VectorValue(meanVector(vectors, factors, "vector"));
  } catch (error) {
    if (error instanceof ValueError) return Number.NaN;
    throw error;
  }
}
