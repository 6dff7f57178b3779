// Dot product of vectors, whose magnitudes count: larger vectors score higher.

import { Slot } from "../vector-layout.js";
import type { Measure } from "./measure.js";
import { computeUnit, makeBound, roundDown } from "./score-bound.js";

export const DOT_PRODUCT: Measure = {
  name: "dot",
  doc: "(v, w): dot product; NaN for features",
  missing: 0,
  lowest: Number.NEGATIVE_INFINITY,
  usesDistance: false,

  score(product, _squares, scale, _otherSquares, otherScale) {
    return scale * otherScale * product;
  },

  scoreExact: (sum) => sum,

  scoreFeatures: () => Number.NaN,

  kernelThreshold: (threshold) => roundDown(threshold),

  kernel: { field: Slot.Scale, factor: 1, weight: 0 },

  boundScores(probe) {
    return makeBound(probe, { field: Slot.Scale * 4, unit: computeUnit(probe), squares: 0 });
  },

  boundThreshold: (threshold, probe) => roundDown(threshold / computeUnit(probe)),
};
