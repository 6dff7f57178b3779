// A measure: how similar two vectors are, exactly, as kernels approximate it, and as an upper bound
// computed from the approximation. Scores grow with similarity, so a distance is negated. Every
// searching and comparing module works on this interface; an implementation is one file beside this
// one and a row in measures.ts.

import type { FeatureList } from "../features.js";
import type { VectorMemory } from "../vector-memory.js";
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

  /**
   * Runs the kernel that writes the float32 scores of listed slots. Requires that kernels can
   * address the memory.
   * @param to address of the scores
   */
  scoreSlots(memory: VectorMemory, count: number, probe: ProbeTerms, to: number): void;

  /**
   * Likewise writes {address, float32 score} of the contiguous int8 slots that have a
   * vertex and reach a threshold; returns their number.
   * @param slot address of the first slot
   * @param stride bytes of a slot
   */
  scanSlots(
    memory: VectorMemory,
    slot: number,
    count: number,
    stride: number,
    probe: ProbeTerms,
    threshold: number,
  ): number;

  /** Returns the approximate score of two slots of one length. */
  scorePair(memory: VectorMemory, a: number, b: number, length: number): number;

  /**
   * Returns the upper bound of the exact scores of slots of larger precision; see score-bound.ts.
   */
  boundScores(probe: ProbeTerms): ScoreBound;

  /** Returns the value of that bound which vectors that score `threshold` or more reach. */
  boundThreshold(threshold: number, probe: ProbeTerms): number;
}
