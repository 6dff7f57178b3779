// Cosine similarity: -1 to 1, 0 if one vector is zero.

import { featureCosine } from "../feature-measures.js";
import { Slot } from "../vector-layout.js";
import type { Measure } from "./measure.js";
import { makeBound, roundDown } from "./score-bound.js";

/** Maximum error of the kernels, which compute in float32. */
const TOLERANCE = 1e-6;

export const COSINE: Measure = {
  name: "cosine",
  doc: "(v, w): cosine similarity, -1 to 1",
  missing: 0,
  lowest: -1,
  usesDistance: false,

  score(product, squares, _scale, otherSquares) {
    if (squares === 0 || otherSquares === 0) return 0;
    const exact = product / Math.sqrt(squares * otherSquares);
    return Math.fround(Math.max(-1, Math.min(1, exact)));
  },

  scoreExact(sum, squares, otherSquares) {
    if (squares === 0 || otherSquares === 0) return 0;
    return Math.max(-1, Math.min(1, sum / Math.sqrt(squares * otherSquares)));
  },

  scoreFeatures: featureCosine,

  kernelThreshold(threshold) {
    return threshold - TOLERANCE;
  },

  kernel: { field: Slot.Factor, factor: 1, weight: 0 },

  boundScores(probe) {
    return makeBound(probe, { field: Slot.Factor * 4, unit: probe.norm, squares: 0 });
  },

  boundThreshold: (threshold) => roundDown(threshold),
};
