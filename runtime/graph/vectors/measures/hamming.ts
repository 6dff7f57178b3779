// Number of components of binary vectors that differ, negated: the squared distance of vectors of 0
// and 1. Others are refused when they are set.

import { EUCLIDEAN } from "./euclidean.js";
import type { Measure } from "./measure.js";

const ONE = 127;
/** Maximum error of a scale, which is a float32. */
const TOLERANCE = 1e-6;

export const HAMMING: Measure = {
  ...EUCLIDEAN,
  name: "hamming",
  doc: "(v, w): number of different components, negated; -Infinity for features",

  score(product, squares, scale, otherSquares, otherScale) {
    const both = squares * scale * scale + otherSquares * otherScale * otherScale;
    return -Math.round(both - 2 * product * scale * otherScale);
  },

  scoreExact: (sum) => -Math.round(sum),

  /** Kernels are wrong by far less than half a component. */
  kernelThreshold: (threshold) => threshold - 0.5,

  boundThreshold(threshold, probe) {
    const distance = Math.sqrt(Math.max(0, 0.5 - threshold));
    return EUCLIDEAN.boundThreshold(-distance, probe);
  },

  refuse({ bytes, scale, exact }) {
    const isBinary =
      exact === null
        ? bytes.every((byte) => byte === 0 || byte === ONE) &&
          (scale === 0 || Math.abs(scale * ONE - 1) < TOLERANCE)
        : exact.every((component) => component === 0 || component === 1);
    return isBinary ? null : "the measure hamming compares vectors of 0 and 1";
  },
};
