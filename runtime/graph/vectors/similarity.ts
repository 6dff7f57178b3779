// Functions on vectors that do not depend on a graph.

import { refuseFurther } from "../model/check-argument.js";
import { ValueError } from "../model/errors.js";
import { COSINE } from "./measures/cosine.js";
import { compareVectors } from "./measures/measures.js";
import { MAX_COMPONENTS } from "./scratch-buffers.js";
import { parseVector, Vector, type VectorLike } from "./vector.js";
import {
  computeDistance,
  computeHamming,
  computeJaccard,
  meanVector,
  seededFingerprint,
} from "./vector-parts.js";

export class Similarity {
  /**
   * Creates a vector of numbers or features.
   * @throws ValueError, TypeError
   */
  newVector(elements: VectorLike, ...further: never[]): Vector {
    refuseFurther(further, "elements");
    return new Vector(parseVector(elements, "vector"));
  }

  /**
   * Returns the sum of vectors, which has the direction of their mean; for features, the strongest
   * features of the mean; for an empty list, the null vector.
   * @throws ValueError, TypeError
   */
  newCentroid(vectors: readonly VectorLike[], ...further: never[]): Vector {
    refuseFurther(further, "vectors");
    if (!Array.isArray(vectors)) throw new TypeError("vectors must be a list");
    const parts = vectors.map((vector, index) => parseVector(vector, `vectors[${index}]`));
    const factor = parts.some(({ isFeatures }) => isFeatures) ? 1 / parts.length : 1;
    const factors = parts.map(() => factor);
    return new Vector(meanVector(parts, factors, "centroid"));
  }

  /**
   * Returns a random vector with components in [-1, 1].
   * @param length number of components
   * @throws ValueError
   */
  rvec(length: number, ...further: never[]): Vector {
    refuseFurther(further, "length");
    if (!Number.isInteger(length) || length < 0 || length > MAX_COMPONENTS) {
      throw new ValueError(`length must be an integer of 0 to ${MAX_COMPONENTS}`);
    }
    return new Vector(Array.from({ length }, () => Math.random() * 2 - 1));
  }

  /** Returns the cosine of two vectors: -1 to 1; 0 if one is zero; -1 if the kinds differ. */
  cosine(a: VectorLike, b: VectorLike, ...further: never[]): number {
    refuseFurther(further, "b");
    return compareVectors(COSINE, parseVector(a, "a"), parseVector(b, "b"));
  }

  /** Returns the Jaccard similarity of feature weights, 0 to 1; always 0 for euclidean vectors. */
  jaccard(a: VectorLike, b: VectorLike, ...further: never[]): number {
    refuseFurther(further, "b");
    return computeJaccard(parseVector(a, "a"), parseVector(b, "b"));
  }

  /** Returns the distance of two vectors; Infinity for features. */
  euclideanDistance(a: VectorLike, b: VectorLike, ...further: never[]): number {
    refuseFurther(further, "b");
    return computeDistance(parseVector(a, "a"), parseVector(b, "b"));
  }

  /** Returns the Hamming distance of two fingerprints, 0 to 64. */
  hammingDistance(a: VectorLike, b: VectorLike, ...further: never[]): number {
    refuseFurther(further, "b");
    return computeHamming(parseVector(a, "a"), parseVector(b, "b"));
  }

  /** Returns a 64-bit fingerprint, of which similar vectors share many bits. */
  fingerprint(vector: VectorLike, seed: number | bigint = 0, ...further: never[]): bigint {
    refuseFurther(further, "seed");
    return seededFingerprint(parseVector(vector, "vector"), BigInt.asUintN(64, BigInt(seed)));
  }
}
