// Making and comparing vectors, as far as it is about values alone, so that every graph gives the
// same answers.

import { ValueError } from "../model/errors.js";
import { MAX_COMPONENTS } from "./scratch-buffers.js";
import { partsOfLike, Vector, type VectorLike } from "./vector.js";
import {
  cosineOf,
  distanceOf,
  hammingOf,
  jaccardOf,
  meanVector,
  seededFingerprint,
} from "./vector-parts.js";

export class Similarity {
  /**
   * A vector of numbers or of features.
   * @throws ValueError, TypeError
   */
  newVector(elements: VectorLike): Vector {
    return new Vector(partsOfLike(elements, "vector"));
  }

  /**
   * Sum of vectors, whose direction is that of their mean; of features the mean, the strongest of
   * them; the null vector of none.
   * @throws ValueError, TypeError
   */
  newCentroid(vectors: readonly VectorLike[]): Vector {
    if (!Array.isArray(vectors)) throw new TypeError("vectors must be a list");
    const parts = vectors.map((vector, index) => partsOfLike(vector, `vectors[${index}]`));
    const factor = parts.some(({ isFeatures }) => isFeatures) ? 1 / parts.length : 1;
    const factors = parts.map(() => factor);
    return new Vector(meanVector(parts, factors, "centroid"));
  }

  /**
   * A random vector: components of -1 to 1.
   * @param length number of components
   * @throws ValueError
   */
  rvec(length: number): Vector {
    if (!Number.isInteger(length) || length < 0 || length > MAX_COMPONENTS) {
      throw new ValueError(`length must be an integer of 0 to ${MAX_COMPONENTS}`);
    }
    return new Vector(Array.from({ length }, () => Math.random() * 2 - 1));
  }

  /** Cosine of two vectors: -1 to 1, 0 where one is zero, -1 of different kinds. */
  cosine(a: VectorLike, b: VectorLike): number {
    return cosineOf(partsOfLike(a, "a"), partsOfLike(b, "b"));
  }

  /** How alike the weights of features are, 0 to 1; always 0 of euclidean vectors. */
  jaccard(a: VectorLike, b: VectorLike): number {
    return jaccardOf(partsOfLike(a, "a"), partsOfLike(b, "b"));
  }

  /** Distance of two vectors; infinite of features. */
  euclideanDistance(a: VectorLike, b: VectorLike): number {
    return distanceOf(partsOfLike(a, "a"), partsOfLike(b, "b"));
  }

  /** Number of bits in which the fingerprints of two vectors differ, 0 to 64. */
  hammingDistance(a: VectorLike, b: VectorLike): number {
    return hammingOf(partsOfLike(a, "a"), partsOfLike(b, "b"));
  }

  /** 64 bits, of which similar vectors share many; another seed gives other ones. */
  fingerprint(vector: VectorLike, seed: number | bigint = 0): bigint {
    return seededFingerprint(partsOfLike(vector, "vector"), BigInt.asUintN(64, BigInt(seed)));
  }
}
