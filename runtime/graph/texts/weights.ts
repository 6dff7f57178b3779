// BM25 as tantivy and Lucene compute it, for one key or several (BM25F). A word's frequency in a
// text counts less the longer the text is; weights of several texts of a document are added before
// they saturate:
//
//   weight = sum over keys: boost * frequency / (1 - b + b * length / average length)
//   score  = sum over words: idf * (k1 + 1) * weight / (k1 + weight)

import { LENGTH_OF_BYTE } from "./lengths.js";

export const K1 = 1.2;
const B = 0.75;

/** Maximum weights are stored as float32, which must not be less than the exact weight. */
export const MAX_WEIGHT_ERROR = 1.000001;

/** Divisor of frequencies for an encoded length. */
export function normFactor(norm: number, average: number): number {
  return 1 - B + (B * LENGTH_OF_BYTE[norm]!) / average;
}

/** Factors of frequencies by encoded length. */
interface KnownFactors {
  readonly average: number;
  readonly boost: number;
  readonly factors: Float64Array;
}

/** Searches between two changes use the same few values. */
const MAX_KNOWN = 16;
const known: KnownFactors[] = [];

/**
 * Returns the weight of a word that occurs once, by encoded length: it decreases. The array may be
 * shared, so callers must not write into it.
 */
export function weightFactors(average: number, boost: number): Float64Array {
  for (const one of known) {
    if (one.average === average && one.boost === boost) return one.factors;
  }
  const factors = LENGTH_OF_BYTE.map((_, norm) => boost / normFactor(norm, average));
  if (known.length === MAX_KNOWN) known.shift();
  known.push({ average, boost, factors });
  return factors;
}

/** Inverse document frequency of a word in `documents` of `all` documents. */
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
