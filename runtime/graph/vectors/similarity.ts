// What a graph offers for vectors beside the vectors themselves: making and comparing them. All of
// it is about values, so that every graph gives the same answers.

import { ValueError } from "../model/errors.js";
import { partsOfLike, Vector, type VectorLike } from "./vector.js";
import { combined, cosineOf, distanceOf, hammingOf, seededFingerprint } from "./vector-parts.js";
import { MAX_COMPONENTS } from "./workbench.js";

/** What governs the similarity of a graph's vectors. */
export interface SimilaritySettings {
  readonly nsegm: number;
  readonly nsign: number;
  readonly max_vector_size: number;
  readonly min_isect: number;
  readonly min_cosine: number;
  readonly min_jaccard: number;
  readonly cosine_exp: number;
  readonly jaccard_exp: number;
  readonly hamming_threshold: number;
  readonly sim_threshold: number;
}

const SETTINGS: SimilaritySettings = {
  ...{ nsegm: 0, nsign: 0, max_vector_size: MAX_COMPONENTS, min_isect: 1 },
  ...{ min_cosine: 0, min_jaccard: 0, cosine_exp: 1, jaccard_exp: 0 },
  ...{ hamming_threshold: 0, sim_threshold: 1 },
};

export class Similarity {
  /**
   * A vector of numbers.
   * @throws ValueError, TypeError
   */
  newVector(elements: VectorLike): Vector {
    return new Vector(partsOfLike(elements, "vector"));
  }

  /**
   * Sum of vectors, whose direction is that of their mean; the null vector of none.
   * @throws ValueError, TypeError
   */
  newCentroid(vectors: readonly VectorLike[]): Vector {
    if (!Array.isArray(vectors)) throw new TypeError("vectors must be a list");
    const parts = vectors.map((vector, index) => partsOfLike(vector, `vectors[${index}]`));
    return new Vector(
      combined(
        parts,
        parts.map(() => 1),
        "centroid",
      ),
    );
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

  /** How similar two vectors are: -1 to 1, 0 where one is zero. */
  similarity(a: VectorLike, b: VectorLike): number {
    return cosineOf(partsOfLike(a, "a"), partsOfLike(b, "b"));
  }

  /** The same as `similarity`, whatever a graph's settings are. */
  cosine(a: VectorLike, b: VectorLike): number {
    return this.similarity(a, b);
  }

  /** Always 0 of euclidean vectors. */
  jaccard(a: VectorLike, b: VectorLike): number {
    partsOfLike(a, "a");
    partsOfLike(b, "b");
    return 0;
  }

  /** Distance of two vectors. */
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

  /** Settings, by the names that they have in the interface. */
  asDict(): SimilaritySettings {
    return { ...SETTINGS };
  }
}
