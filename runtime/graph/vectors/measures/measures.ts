// The vector measures, and comparison of vectors outside a graph's memory.

import { MEASURE_NAMES } from "../../../base/measure-names.js";
import { featureSimilarity } from "../feature-measures.js";
import type { FeatureList } from "../features.js";
import { Precision } from "../precision.js";
import type { SimilaritySettings } from "../similarity-settings.js";
import {
  dot,
  sumExactDifferences,
  sumExactProducts,
  sumExactSquares,
  sumSquares,
  type VectorParts,
} from "../vector-parts.js";
import { COSINE } from "./cosine.js";
import { DOT_PRODUCT } from "./dot-product.js";
import { EUCLIDEAN } from "./euclidean.js";
import { HAMMING } from "./hamming.js";
import type { Measure } from "./measure.js";

const BY_NAME: { readonly [N in VectorMeasure]: Measure } = {
  cosine: COSINE,
  dot: DOT_PRODUCT,
  l2: EUCLIDEAN,
  hamming: HAMMING,
};

/** All measures, in the order of their names. */
export const MEASURES: readonly Measure[] = MEASURE_NAMES.map((name) => BY_NAME[name]);

/** Name of a measure in options. */
export type VectorMeasure = (typeof MEASURE_NAMES)[number];

/**
 * Returns the score of two vectors: 0 if one is the null vector, the lowest if the kinds differ.
 */
export function compareVectors(measure: Measure, a: VectorParts, b: VectorParts): number {
  if (a.isFeatures || b.isFeatures) return compareFeatures(measure, a, b, measure.scoreFeatures);
  const length = Math.min(a.bytes.length, b.bytes.length);
  if (a.precision !== Precision.Int8 || b.precision !== Precision.Int8) {
    const sum = measure.usesDistance ? sumExactDifferences(a, b) : sumExactProducts(a, b);
    return measure.scoreExact(sum, sumExactSquares(a, length), sumExactSquares(b, length));
  }
  const product = dot(a.bytes, b.bytes);
  return measure.score(product, sumSquares(a, length), a.scale, sumSquares(b, length), b.scale);
}

/** Returns the similarity by a graph's measure, or for features by its settings. */
export function computeSimilarity(
  a: VectorParts,
  b: VectorParts,
  settings: SimilaritySettings,
  measure: Measure,
): number {
  if (!a.isFeatures && !b.isFeatures) return compareVectors(measure, a, b);
  return compareFeatures(COSINE, a, b, (left, right) => featureSimilarity(left, right, settings));
}

function compareFeatures(
  { lowest }: Measure,
  a: VectorParts,
  b: VectorParts,
  score: (a: FeatureList, b: FeatureList) => number,
): number {
  if (a.bytes.length === 0 || b.bytes.length === 0) return 0;
  return a.isFeatures && b.isFeatures ? score(a.features, b.features) : lowest;
}
