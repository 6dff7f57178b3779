// The vector metrics, and comparison of vectors outside a graph's memory.

import { featureSimilarity } from "../feature-measures.js";
import type { FeatureList } from "../features.js";
import type { SimilaritySettings } from "../similarity-settings.js";
import { dot, sumSquares, type VectorParts } from "../vector-parts.js";
import { COSINE } from "./cosine.js";
import type { Metric } from "./metric.js";

/** All metrics; each is a function of expressions. */
export const METRICS: readonly Metric[] = [COSINE];

/** Metric of similarity, sort orders, searches and indexes of every graph. */
export const GRAPH_METRIC = COSINE;

/**
 * Returns the score of two vectors: 0 if one is the null vector, the lowest if the kinds differ.
 */
export function compareVectors(metric: Metric, a: VectorParts, b: VectorParts): number {
  if (a.isFeatures || b.isFeatures) return compareFeatures(metric, a, b, metric.scoreFeatures);
  const length = Math.min(a.bytes.length, b.bytes.length);
  const product = dot(a.bytes, b.bytes);
  return metric.score(product, sumSquares(a, length), a.scale, sumSquares(b, length), b.scale);
}

/** Returns the similarity by a graph's settings, which apply to features. */
export function computeSimilarity(
  a: VectorParts,
  b: VectorParts,
  settings: SimilaritySettings,
): number {
  if (!a.isFeatures && !b.isFeatures) return compareVectors(GRAPH_METRIC, a, b);
  return compareFeatures(GRAPH_METRIC, a, b, (one, other) => {
    return featureSimilarity(one, other, settings);
  });
}

function compareFeatures(
  { lowest }: Metric,
  a: VectorParts,
  b: VectorParts,
  score: (a: FeatureList, b: FeatureList) => number,
): number {
  if (a.bytes.length === 0 || b.bytes.length === 0) return 0;
  return a.isFeatures && b.isFeatures ? score(a.features, b.features) : lowest;
}
