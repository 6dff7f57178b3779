// A measure of similarity: the exact score of two vectors, the approximation by kernels, and an
// upper bound from the approximation. Scores grow with similarity, so distances are negated.
// Searches and comparisons depend only on this interface. An implementation is a file in this
// folder and a row in measures.ts.

import type { FeatureList } from "../features.js";
import type { VectorParts } from "../vector-parts.js";
import type { KernelForm } from "./kernel-form.js";
import type { ProbeTerms } from "./probe-terms.js";
import type { ScoreBound } from "./score-bound.js";

export interface Measure {
  /** Name of its function in expressions, and in options. */
  readonly name: string;
  /** Arguments and result of that function, in one line. */
  readonly doc: string;
  /** Result of that function if an argument is not a vector. */
  readonly missing: number;
  /** Score of vectors of different kinds. */
  readonly lowest: number;

  /** Returns the reason why a graph refuses a vector of numbers, or null. Absent: never refuses. */
  refuse?(vector: VectorParts): string | null;

  /**
   * Returns the score of two vectors of numbers from their int8 components: their dot product, and
   * the sum of squares and the scale of each. Sums cover the components that both vectors have.
   */
  score(
    product: number,
    squares: number,
    scale: number,
    otherSquares: number,
    otherScale: number,
  ): number;

  /** True if `scoreExact` takes the squared distance instead of the dot product. */
  readonly usesDistance: boolean;

  /**
   * Returns the score of two vectors of larger precision, from the dot product or the squared
   * distance of their exact components, and the sum of squares of each.
   */
  scoreExact(sum: number, squares: number, otherSquares: number): number;

  /** Returns the score of two vectors of features. */
  scoreFeatures(a: FeatureList, b: FeatureList): number;

  /** Returns a lower bound of the kernel scores of int8 vectors that score `threshold` or more. */
  kernelThreshold(threshold: number, probe: ProbeTerms): number;

  /** Coefficients by which kernels score int8 slots. */
  readonly kernel: KernelForm;

  /**
   * Returns the upper bound of the exact scores of slots of larger precision; see score-bound.ts.
   */
  boundScores(probe: ProbeTerms): ScoreBound;

  /** Returns the minimum of that bound for vectors that score `threshold` or more. */
  boundThreshold(threshold: number, probe: ProbeTerms): number;
}
