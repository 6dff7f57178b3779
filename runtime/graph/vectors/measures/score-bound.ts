// Upper bound of the exact score of a slot, computed from its int8 components.
//
// Let a vector be v = s q + e with int8 components q, and a probe p = t r + f with int16 components
// r. Then
//
//   <p, v>  =  t s <r, q>  +  <p, e>  +  s <f, q>
//          <=  s (t <r, q>  +  |p| |e| / s  +  |f| |q|)                      (Cauchy and Schwarz)
//
// A slot stores s, |q|^2 and |e| / s rounded up; a probe stores t, |p| and |f|. So the bound of
// each vector depends on its own quantization error, not on the worst one. A scan computes the
// exact score of every vector whose bound reaches the worst of the best k so far, and thereby finds
// all of the best k.
//
// The kernel computes in float32. Every coefficient, product and sum is rounded by at most 2^-24 of
// its magnitude, fewer than 12 times in a row, and the magnitude of the terms is at most
// s (t |r| |q| + |p| |e| / s + |f| |q|), where t |r| <= |p| + |f|. The slack of 2^-20 below is 16
// times 2^-24 of that, so rounding never makes the bound too low. All coefficients are divided by a
// unit of the magnitude of the probe, so that they neither overflow nor become subnormal.

import type { ProbeTerms } from "./probe-terms.js";

export interface ScoreBound {
  /** Byte offset in the slot of a float32, the factor of the first three terms. */
  readonly field: number;
  readonly product: number;
  readonly residual: number;
  readonly reach: number;
  /** Coefficient of the exact sum of squares. */
  readonly offset: number;
}

const SLACK = 2 ** -20;
/** Minimum unit: products of it and float32s are finite. */
const MIN_UNIT = 1e-30;

/** Returns the unit of the bound: the norm of the probe, or the minimum unit. */
export function computeUnit({ norm }: ProbeTerms): number {
  return Math.max(norm, MIN_UNIT);
}

/** @param squares coefficient of the exact sum of squares, at most 0 */
export function makeBound(
  { scale, norm, error }: ProbeTerms,
  { field, unit, squares }: { field: number; unit: number; squares: number },
): ScoreBound {
  if (norm === 0) return { field, product: 0, residual: 0, reach: 0, offset: squares };
  return {
    field,
    product: scale / unit,
    residual: (norm / unit) * (1 + SLACK),
    reach: (error + SLACK * (norm + error)) / unit,
    offset: squares * (1 - SLACK),
  };
}

/**
 * Returns a float32 that is not greater than a number.
 * @param magnitude magnitude of the terms whose sum is the number
 */
export function roundDown(value: number, magnitude = Math.abs(value)): number {
  return Number.isFinite(value) ? Math.fround(value - magnitude * SLACK) : value;
}

/** Returns an upper bound of a nonnegative number as float32. */
export function roundUp(value: number): number {
  return Math.fround(value * (1 + SLACK));
}
