// Euclidean distance, negated: 0 for equal vectors, lower for distant ones. Kernels compute its
// square, which orders vectors equally.

import { Slot } from "../vector-layout.js";
import type { Measure } from "./measure.js";
import { computeUnit, makeBound, roundDown } from "./score-bound.js";

export const EUCLIDEAN: Measure = {
  name: "l2",
  doc: "(v, w): distance, negated; -Infinity for features",
  missing: Number.NEGATIVE_INFINITY,
  lowest: Number.NEGATIVE_INFINITY,
  usesDistance: true,

  score(product, squares, scale, otherSquares, otherScale) {
    const squaredNorm = squares * scale * scale;
    const otherSquaredNorm = otherSquares * otherScale * otherScale;
    return -Math.sqrt(
      Math.max(0, squaredNorm + otherSquaredNorm - 2 * product * scale * otherScale),
    );
  },

  scoreExact: (sum) => -Math.sqrt(sum),

  scoreFeatures: () => Number.NEGATIVE_INFINITY,

  /**
   * The error of the kernels grows with the norms of both vectors. The norm of a vector within the
   * distance is at most the norm of the probe plus the distance.
   */
  kernelThreshold(threshold, { norm }) {
    return roundDown(-threshold * threshold, norm * norm + (norm - threshold) ** 2);
  },

  kernel: { field: Slot.Scale, factor: 2, weight: -1 },

  /** Bounds half of -|p - v|^2 = 2 <p, v> - |v|^2 - |p|^2, without the constant last term. */
  boundScores(probe) {
    const unit = computeUnit(probe);
    return makeBound(probe, { field: Slot.Scale * 4, unit, squares: -0.5 / unit });
  },

  boundThreshold(threshold, probe) {
    if (threshold === Number.NEGATIVE_INFINITY) return threshold;
    const [squaredNorm, distance] = [probe.norm * probe.norm, threshold * threshold];
    const unit = 2 * computeUnit(probe);
    return roundDown((squaredNorm - distance) / unit, (squaredNorm + distance) / unit);
  },
};
