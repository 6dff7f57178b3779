// Cosine similarity: -1 to 1, 0 if one vector is zero.

import { featureCosine } from "../feature-measures.js";
import { SLOT_WORDS, Slot } from "../vector-layout.js";
import type { Metric } from "./metric.js";

/** Maximum error of the kernels, which compute in float32. */
const TOLERANCE = 1e-6;

export const COSINE: Metric = {
  name: "cosine",
  doc: "(v, w): cosine similarity, -1 to 1",
  missing: 0,
  lowest: -1,

  score(product, squares, _scale, otherSquares) {
    if (squares === 0 || otherSquares === 0) return 0;
    const exact = product / Math.sqrt(squares * otherSquares);
    return Math.fround(Math.max(-1, Math.min(1, exact)));
  },

  scoreFeatures: featureCosine,

  /** 1/|v| of the unscaled components; 0 for a zero vector. */
  factor(squares) {
    return squares === 0 ? 0 : 1 / Math.sqrt(squares);
  },

  kernelThreshold(threshold) {
    return threshold - TOLERANCE;
  },

  scoreSlots(kernel, list, count, probe, length, factor, to) {
    kernel.many(list, count, probe, length, factor, to);
  },

  scanSlots(kernel, slot, count, stride, probe, factor, threshold, to) {
    return kernel.scan(slot, count, stride, probe, factor, threshold, to);
  },

  scorePair(memory, a, b, length) {
    const { dots, floats } = memory;
    const [first, second] = [memory.addressOf(a + SLOT_WORDS), memory.addressOf(b + SLOT_WORDS)];
    const product = dots.dot(first, second, length);
    return product * floats[a + Slot.Factor]! * floats[b + Slot.Factor]!;
  },
};
