// BM25 as tantivy and Lucene compute it, for one key or several (BM25F). The longer a text is, the
// less the frequency of a word in it counts. Weights of several texts of a document are summed
// before they saturate:
//
//   weight = sum over keys: boost * frequency / (1 - b + b * length / average length)
//   score  = sum over words: idf * (k1 + 1) * weight / (k1 + weight)

import { LENGTH_OF_BYTE } from "./lengths.js";

export const K1 = 1.2;
const B = 0.75;

/** Maximum weights are stored as float32, which must not be less than the exact weight. */
export const MAX_WEIGHT_ERROR = 1.000001;

/** Returns the divisor of frequencies for an encoded length. */
export function normFactor(norm: number, average: number): number {
  return 1 - B + (B * LENGTH_OF_BYTE[norm]!) / average;
}

/** Cached weights by encoded length. */
interface CachedFactors {
  readonly average: number;
  readonly boost: number;
  readonly factors: Float64Array;
}

/** Maximum number of cached arrays: searches between two changes use the same few. */
const MAX_CACHED = 16;
const factorCache: CachedFactors[] = [];

/**
 * Returns the weight of a word that occurs once, by encoded length, in descending order. Callers
 * share the array and must not write into it.
 */
export function weightFactors(average: number, boost: number): Float64Array {
  for (const cached of factorCache) {
    if (cached.average === average && cached.boost === boost) return cached.factors;
  }
  const factors = LENGTH_OF_BYTE.map((_, norm) => boost / normFactor(norm, average));
  if (factorCache.length === MAX_CACHED) factorCache.shift();
  factorCache.push({ average, boost, factors });
  return factors;
}

/** Returns the inverse document frequency of a word in `documents` of `all` documents. */
export function inverseFrequency(documents: number, all: number): number {
  return Math.log(1 + (all - documents + 0.5) / (documents + 0.5));
}

/** Returns the score of a weight. */
export function saturate(weight: number): number {
  return ((K1 + 1) * weight) / (K1 + weight);
}

/** Returns the weight that yields a score; infinite if no weight does. */
export function weightFor(score: number): number {
  return score >= K1 + 1 ? Number.POSITIVE_INFINITY : (K1 * score) / (K1 + 1 - score);
}
