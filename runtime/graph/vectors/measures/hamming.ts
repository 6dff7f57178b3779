// Number of different components of binary vectors, negated: the squared distance of vectors of 0
// and 1. Graphs with this measure refuse other vectors.

import { isBinary } from "../binary-vector.js";
import { EUCLIDEAN } from "./euclidean.js";
import type { Measure } from "./measure.js";

export const HAMMING: Measure = {
  ...EUCLIDEAN,
  name: "hamming",
  doc: "(v, w): number of different components, negated; -Infinity for features",

  score(product, squares, scale, otherSquares, otherScale) {
    const squaredNorms = squares * scale * scale + otherSquares * otherScale * otherScale;
    return -Math.round(squaredNorms - 2 * product * scale * otherScale);
  },

  scoreExact: (sum) => -Math.round(sum),

  /** The error of kernels is far less than half a component. */
  kernelThreshold: (threshold) => threshold - 0.5,

  boundThreshold(threshold, probe) {
    const distance = Math.sqrt(Math.max(0, 0.5 - threshold));
    return EUCLIDEAN.boundThreshold(-distance, probe);
  },

  refuse: (vector) => (isBinary(vector) ? null : "the measure hamming compares vectors of 0 and 1"),
};
