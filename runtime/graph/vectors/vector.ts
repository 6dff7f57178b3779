// A vector as users see it: an immutable value, which belongs to no graph and holds nothing of
// shared memory. It is of numbers, or of features: names with weights.

import { ValueError } from "../model/errors.js";
import type { Feature } from "./features.js";
import {
  bitsOf,
  cosineOf,
  distanceOf,
  dot,
  externalOf,
  hammingOf,
  jaccardOf,
  magnitudeOf,
  meanVector,
  partsOfBytes,
  partsOfFeatures,
  quantize,
  type VectorComponents,
  VectorParts,
} from "./vector-parts.js";

/** What a vector can be made of: numbers, int8 bytes as they are, or features. */
export type VectorElements =
  | readonly number[]
  | readonly Feature[]
  | Float32Array
  | Float64Array
  | Int8Array
  | Uint8Array;
/** A vector, or what one can be made of. */
export type VectorLike = Vector | VectorElements;

/** What `asDict` tells of a vector. */
export interface VectorRecord {
  readonly external: VectorComponents;
  /** Components as they are kept; of features pairs of a code of the name and one of the weight. */
  readonly internal: number[] | [dimension: number, weight: number][];
  readonly centroid: boolean;
  readonly type: "euclidean" | "feature";
  readonly length: number;
  readonly fingerprint: bigint;
  readonly magnitude: number;
  readonly scale: number;
}

/** What is kept of a vector. */
export let partsOf: (vector: Vector) => VectorParts;

/**
 * A euclidean vector of up to 65,472 components, padded with zeros to a multiple of 32. Components
 * are kept as int8 with one scale: within 1/254 of the largest one. Or a vector of up to 48
 * features, each a name of up to 27 bytes with a weight of up to 1.875, kept with four binary
 * digits.
 */
export class Vector {
  readonly #parts: VectorParts;

  /**
   * @param elements numbers, bytes that are taken as int8 with scale 1, or features; none: the null
   * vector.
   * The runtime itself gives the parts of one.
   * @throws ValueError, TypeError
   */
  constructor(elements: VectorElements | VectorParts = []) {
    this.#parts = elements instanceof VectorParts ? elements : partsOfElements(elements, "vector");
  }

  /** Number of components, padding included; or of features. */
  get length(): number {
    return this.#parts.length;
  }

  /** Euclidean length. */
  get magnitude(): number {
    return magnitudeOf(this.#parts);
  }

  /** 64 bits, of which similar vectors share many. */
  get fingerprint(): bigint {
    return bitsOf(this.#parts.fingerprintLow, this.#parts.fingerprintHigh);
  }

  /** The components as numbers; the weights of features. */
  get external(): number[] {
    const { isFeatures, features } = this.#parts;
    if (isFeatures) return features.pairs().map(([, weight]) => weight);
    return externalOf(this.#parts) as number[];
  }

  /** The features; none of a vector of numbers. */
  get features(): Feature[] {
    return this.#parts.isFeatures ? this.#parts.features.pairs() : [];
  }

  /** The components as they are kept; a copy. Of features codes of the weights. */
  get internal(): Int8Array {
    const { isFeatures, features, bytes } = this.#parts;
    if (!isFeatures) return bytes.slice();
    return Int8Array.from({ length: features.count }, (_, index) => features.code(index));
  }

  /** What the components in `internal` are multiplied by. */
  get alpha(): number {
    return this.#parts.scale;
  }

  /** Cosine of the angle between two vectors, over the components that both have. */
  cosine(other: VectorLike): number {
    return cosineOf(this.#parts, partsOfLike(other, "other"));
  }

  /** Distance of two vectors, over the components that both have. */
  euclideanDistance(other: VectorLike): number {
    return distanceOf(this.#parts, partsOfLike(other, "other"));
  }

  /** Number of bits in which two fingerprints differ. */
  hammingDistance(other: VectorLike): number {
    return hammingOf(this.#parts, partsOfLike(other, "other"));
  }

  /** How alike the weights of features are, 0 to 1; 0 of vectors of numbers. */
  jaccard(other: VectorLike): number {
    return jaccardOf(this.#parts, partsOfLike(other, "other"));
  }

  /** Sum of the products of the components of two vectors; NaN of features. */
  dot(other: VectorLike): number {
    const { bytes, scale, isFeatures } = partsOfLike(other, "other");
    if (isFeatures || this.#parts.isFeatures) return Number.NaN;
    return this.#parts.scale * scale * dot(this.#parts.bytes, bytes);
  }

  /** @throws ValueError a sum that is too large */
  add(other: VectorLike): Vector {
    return new Vector(meanVector([this.#parts, partsOfLike(other, "other")], [1, 1], "sum"));
  }

  /** @throws ValueError a difference that is too large */
  subtract(other: VectorLike): Vector {
    return new Vector(
      meanVector([this.#parts, partsOfLike(other, "other")], [1, -1], "difference"),
    );
  }

  /** @throws ValueError a product that is too large, or a factor that is no number */
  multiply(factor: number): Vector {
    if (!Number.isFinite(factor)) throw new ValueError("factor must be a finite number");
    return new Vector(meanVector([this.#parts], [factor], "product"));
  }

  /** True if all components and the scale are the same. */
  equals(other: VectorLike): boolean {
    const { bytes, scale, isFeatures } = this.#parts;
    const given = partsOfLike(other, "other");
    if (
      isFeatures !== given.isFeatures ||
      bytes.length !== given.bytes.length ||
      scale !== given.scale
    )
      return false;
    return bytes.every((byte, index) => byte === given.bytes[index]);
  }

  /** Everything about the vector. */
  asDict(): VectorRecord {
    const { length, fingerprint, magnitude, alpha } = this;
    const { isFeatures, features, bytes } = this.#parts;
    const codes = (_: unknown, index: number): [number, number] => {
      return [features.dimension(index), features.code(index)];
    };
    return {
      external: this.toJSON(),
      internal: isFeatures ? Array.from({ length }, codes) : [...bytes],
      ...{ centroid: false, type: isFeatures ? "feature" : "euclidean" },
      ...{ length, fingerprint, magnitude, scale: alpha },
    };
  }

  /** What `JSON.stringify` shows: the components, or the features. */
  toJSON(): VectorComponents {
    return externalOf(this.#parts);
  }

  static {
    partsOf = (vector) => vector.#parts;
  }
}

/**
 * Parts of a vector, or of one made for that.
 * @param place what it is called in messages
 * @throws ValueError, TypeError
 */
export function partsOfLike(value: unknown, place: string): VectorParts {
  return value instanceof Vector ? partsOf(value) : partsOfElements(value, place);
}

function partsOfElements(value: unknown, place: string): VectorParts {
  if (Array.isArray(value) && Array.isArray(value[0])) return partsOfFeatures(value, place);
  if (Array.isArray(value) || value instanceof Float32Array || value instanceof Float64Array) {
    return quantize(value, place);
  }
  if (value instanceof Int8Array || value instanceof Uint8Array) {
    const { buffer, byteOffset, length } = value;
    return partsOfBytes(new Int8Array(buffer, byteOffset, length), 1, place);
  }
  throw new TypeError(`${place} must be a list of numbers or a vector`);
}
