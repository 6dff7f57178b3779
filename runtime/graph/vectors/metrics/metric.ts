// A vector metric: how similar two vectors are, exactly and as kernels approximate it. Scores are
// float32 and grow with similarity, so a distance is negated. Every searching and comparing module
// works on this interface; an implementation is one file beside this one and a row in metrics.ts.

import type { VectorKernel } from "../../kernels/vector-kernel.js";
import type { FeatureList } from "../features.js";
import type { VectorMemory } from "../vector-memory.js";

export interface Metric {
  /** Name of its function in expressions. */
  readonly name: string;
  /** Arguments and result of that function, in one line. */
  readonly doc: string;
  /** Result of that function if an argument is not a vector. */
  readonly missing: number;
  /** Lowest possible score; that of vectors of different kinds, or of a missing one. */
  readonly lowest: number;

  /**
   * Returns the exact score of two vectors of numbers, from their int8 components: dot product, and
   * of each vector the sum of squares and the scale. Sums cover the components that both have.
   */
  score(
    product: number,
    squares: number,
    scale: number,
    otherSquares: number,
    otherScale: number,
  ): number;

  /** Returns the exact score of two vectors of features. */
  scoreFeatures(a: FeatureList, b: FeatureList): number;

  /**
   * Returns the term of a vector that kernels combine with the dot product. That of a stored vector
   * is the float32 `Slot.Factor`; changing this function changes the snapshot format.
   */
  factor(squares: number, scale: number): number;

  /** Returns a lower bound of the kernel scores of vectors that score `threshold` or more. */
  kernelThreshold(threshold: number): number;

  /**
   * Runs the kernel that writes the float32 scores of listed slots.
   * @param list address of the slots' addresses
   * @param to address of the scores
   */
  scoreSlots(
    kernel: VectorKernel,
    list: number,
    count: number,
    probe: number,
    length: number,
    factor: number,
    to: number,
  ): void;

  /**
   * Runs the kernel that writes {address, float32 score} of the contiguous slots that have a vertex
   * and reach a threshold; returns their number.
   */
  scanSlots(
    kernel: VectorKernel,
    slot: number,
    count: number,
    stride: number,
    probe: number,
    factor: number,
    threshold: number,
    to: number,
  ): number;

  /** Returns the approximate score of two slots of one length. */
  scorePair(memory: VectorMemory, a: number, b: number, length: number): number;
}
