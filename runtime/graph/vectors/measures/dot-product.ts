// Dot product of vectors, whose magnitudes count: larger vectors score higher.

import { SLOT_WORDS, Slot } from "../vector-layout.js";
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

  scoreSlots({ kernel, lists, probe }, count, { length, scale }, to) {
    kernel!.manyScaled(lists, count, probe, length, scale, 0, 0, to);
  },

  scanSlots({ kernel, lists, probe }, slot, count, stride, { scale }, threshold) {
    return kernel!.scanScaled(slot, count, stride, probe, scale, 0, 0, threshold, lists);
  },

  scorePair(memory, a, b, length) {
    const { dots, floats } = memory;
    const [first, second] = [memory.addressOf(a + SLOT_WORDS), memory.addressOf(b + SLOT_WORDS)];
    const product = dots.dot(first, second, length);
    return product * floats[a + Slot.Scale]! * floats[b + Slot.Scale]!;
  },

  boundScores(probe) {
    return makeBound(probe, { field: Slot.Scale * 4, unit: computeUnit(probe), squares: 0 });
  },

  boundThreshold: (threshold, probe) => roundDown(threshold / computeUnit(probe)),
};
