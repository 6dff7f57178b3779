// A measure: how similar two vectors are, exactly, as kernels approximate it, and as an upper bound
// computed from the approximation. Scores grow with similarity, so a distance is negated. Every
// searching and comparing module works on this interface; an implementation is one file beside this
// one and a row in measures.ts.

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

  /** Returns why a vector of numbers cannot be set; null if it can. Absent: all can. */
  refuse?(vector: VectorParts): string | null;

  /**
   * Returns the score of two vectors of numbers, from their int8 components: dot product, and of
   * each vector the sum of squares and the scale. Sums cover the components that both have.
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

  /** How kernels score int8 slots. */
  readonly kernel: KernelForm;

  /**
   * Returns the upper bound of the exact scores of slots of larger precision; see score-bound.ts.
   */
  boundScores(probe: ProbeTerms): ScoreBound;

  /** Returns the value of that bound which vectors that score `threshold` or more reach. */
  boundThreshold(threshold: number, probe: ProbeTerms): number;
}
