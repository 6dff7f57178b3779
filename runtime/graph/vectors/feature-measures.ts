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
  least: number;
  most: number;
  squares: number;
  otherSquares: number;
}

const SUMS: Sums = {
  ...{ common: 0, products: 0, least: 0, most: 0, squares: 0, otherSquares: 0 },
};

/** Returns sums over two sorted lists of features; valid until the next call. */
function sumsOf(a: FeatureList, b: FeatureList): Readonly<Sums> {
  const [left, right] = [a.count, b.count];
  let [common, products, least, most, squares, otherSquares] = [0, 0, 0, 0, 0, 0];
  for (let i = 0, j = 0; i < left || j < right; ) {
    const order = i === left ? 1 : j === right ? -1 : orderOf(a, i, b, j);
    const one = order <= 0 ? a.magnitude(i++) : 0;
    const other = order >= 0 ? b.magnitude(j++) : 0;
    if (order === 0) common++;
    products += one * other;
    least += Math.min(one, other);
    most += Math.max(one, other);
    squares += one * one;
    otherSquares += other * other;
  }
  return Object.assign(SUMS, { common, products, least, most, squares, otherSquares });
}

function orderOf(a: FeatureList, i: number, b: FeatureList, j: number): number {
  const [one, other] = [a.hash(i), b.hash(j)];
  return one === other ? Buffer.compare(a.name(i), b.name(j)) : one - other;
}

/** Returns the cosine similarity, 0 to 1. */
export function featureCosine(a: FeatureList, b: FeatureList): number {
  return cosine(sumsOf(a, b));
}

/** Returns the weighted Jaccard similarity, 0 to 1. */
export function featureJaccard(a: FeatureList, b: FeatureList): number {
  return jaccard(sumsOf(a, b));
}

/** Combines cosine and Jaccard similarity by a graph's settings; 0 to 1. */
export function featureSimilarity(
  a: FeatureList,
  b: FeatureList,
  settings: SimilaritySettings,
): number {
  const { min_isect, min_jaccard, min_cosine, cosine_exp, jaccard_exp } = settings;
  const sums = sumsOf(a, b);
  if (min_isect > 1 && sums.common < min_isect) return 0;
  const ofWeights = jaccard_exp > 0 ? jaccard(sums) : 1;
  if (jaccard_exp > 0 && ofWeights < min_jaccard) return 0;
  if (cosine_exp <= 0) return ofWeights;
  const ofAngle = cosine(sums);
  if (ofAngle < min_cosine) return 0;
  if (jaccard_exp <= 0) return ofAngle;
  return truncate(ofWeights ** jaccard_exp * ofAngle ** cosine_exp);
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

function jaccard({ least, most }: Readonly<Sums>): number {
  return most === 0 ? 0 : Math.min(1, truncate(truncate(least / UNIT) / truncate(most / UNIT)));
}

const float = new Float32Array(1);
const floatWord = new Uint32Array(float.buffer);

/** Truncates toward zero. */
function truncate(value: number): number {
  float[0] = value;
  floatWord[0] = floatWord[0]! & 0xffff_0000;
  return float[0];
}
