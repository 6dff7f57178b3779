// Similarity of vectors of named features. Weights are summed as integers, and quotients and roots
// are truncated to the upper half of a float32, so results are the same on every platform.

import type { FeatureList } from "./features.js";
import { UNIT } from "./features.js";
import type { SimilaritySettings } from "./similarity-settings.js";

const UNIT_SQUARE = UNIT * UNIT;

/** Sums over the features of two vectors. */
interface Sums {
  common: number;
  products: number;
  minima: number;
  maxima: number;
  squares: number;
  otherSquares: number;
}

const SUMS: Sums = {
  ...{ common: 0, products: 0, minima: 0, maxima: 0, squares: 0, otherSquares: 0 },
};

/** Returns sums over two sorted lists of features; valid until the next call. */
function computeSums(a: FeatureList, b: FeatureList): Readonly<Sums> {
  const [left, right] = [a.count, b.count];
  let [common, products, minima, maxima, squares, otherSquares] = [0, 0, 0, 0, 0, 0];
  for (let i = 0, j = 0; i < left || j < right; ) {
    const order = i === left ? 1 : j === right ? -1 : compareOrder(a, i, b, j);
    const weight = order <= 0 ? a.magnitude(i++) : 0;
    const otherWeight = order >= 0 ? b.magnitude(j++) : 0;
    if (order === 0) common++;
    products += weight * otherWeight;
    minima += Math.min(weight, otherWeight);
    maxima += Math.max(weight, otherWeight);
    squares += weight * weight;
    otherSquares += otherWeight * otherWeight;
  }
  return Object.assign(SUMS, { common, products, minima, maxima, squares, otherSquares });
}

function compareOrder(a: FeatureList, i: number, b: FeatureList, j: number): number {
  const [hash, otherHash] = [a.hash(i), b.hash(j)];
  return hash === otherHash ? Buffer.compare(a.name(i), b.name(j)) : hash - otherHash;
}

/** Returns the cosine similarity, 0 to 1. */
export function featureCosine(a: FeatureList, b: FeatureList): number {
  return cosine(computeSums(a, b));
}

/** Returns the weighted Jaccard similarity, 0 to 1. */
export function featureJaccard(a: FeatureList, b: FeatureList): number {
  return jaccard(computeSums(a, b));
}

/** Combines cosine and Jaccard similarity by a graph's settings; 0 to 1. */
export function featureSimilarity(
  a: FeatureList,
  b: FeatureList,
  settings: SimilaritySettings,
): number {
  const { min_isect, min_jaccard, min_cosine, cosine_exp, jaccard_exp } = settings;
  const sums = computeSums(a, b);
  if (min_isect > 1 && sums.common < min_isect) return 0;
  const jaccardScore = jaccard_exp > 0 ? jaccard(sums) : 1;
  if (jaccard_exp > 0 && jaccardScore < min_jaccard) return 0;
  if (cosine_exp <= 0) return jaccardScore;
  const cosineScore = cosine(sums);
  if (cosineScore < min_cosine) return 0;
  if (jaccard_exp <= 0) return cosineScore;
  return truncate(jaccardScore ** jaccard_exp * cosineScore ** cosine_exp);
}

/** Returns the sum of the squared integer weights. */
export function sumOfSquaredWeights(list: FeatureList): number {
  let sum = 0;
  for (let index = 0; index < list.count; index++) sum += list.magnitude(index) ** 2;
  return sum;
}

export function featureMagnitude(squares: number): number {
  return Math.sqrt(squares / UNIT_SQUARE);
}

function cosine({ products, squares, otherSquares }: Readonly<Sums>): number {
  if (squares === 0 || otherSquares === 0) return 0;
  const magnitudes = truncate(featureMagnitude(squares) * featureMagnitude(otherSquares));
  return Math.min(1, truncate(truncate(products / UNIT_SQUARE) / magnitudes));
}

function jaccard({ minima, maxima }: Readonly<Sums>): number {
  return maxima === 0
    ? 0
    : Math.min(1, truncate(truncate(minima / UNIT) / truncate(maxima / UNIT)));
}

const float = new Float32Array(1);
const floatWord = new Uint32Array(float.buffer);

/** Truncates toward zero. */
function truncate(value: number): number {
  float[0] = value;
  floatWord[0] = floatWord[0]! & 0xffff_0000;
  return float[0];
}
