// Public vector type: an immutable value, independent of graphs and shared memory. Its components
// are numbers or named, weighted features.

import { PRECISIONS } from "../../base/precisions.js";
import { ValueError } from "../model/errors.js";
import type { Feature } from "./features.js";
import { COSINE } from "./measures/cosine.js";
import { DOT_PRODUCT } from "./measures/dot-product.js";
import { compareVectors } from "./measures/measures.js";
import type { VectorPrecision } from "./precision.js";
import {
  computeDistance,
  computeHamming,
  computeJaccard,
  computeMagnitude,
  equalComponents,
  joinBits,
  meanVector,
  parseBytes,
  parseFeatures,
  quantize,
  toComponents,
  type VectorComponents,
  VectorParts,
} from "./vector-parts.js";

/** Elements of a vector: numbers, raw int8 bytes, or features. */
export type VectorElements =
  | readonly number[]
  | readonly Feature[]
  | Float32Array
  | Float64Array
  | Int8Array
  | Uint8Array;
/** A vector, or its elements. */
export type VectorLike = Vector | VectorElements;

/** Result of `asDict`. */
export interface VectorRecord {
  readonly external: VectorComponents;
  /** Stored components; for features pairs of name code and weight code. */
  readonly internal: number[] | [dimension: number, weight: number][];
  readonly centroid: boolean;
  readonly type: "euclidean" | "feature";
  readonly length: number;
  readonly fingerprint: bigint;
  readonly magnitude: number;
  readonly scale: number;
}

/** Returns the stored representation. */
export let getParts: (vector: Vector) => VectorParts;

/**
 * A euclidean vector of up to 65,472 components, zero-padded to a multiple of 32 and shown as int8
 * with one scale (precision: 1/254 of the largest component), or a vector of up to 48 features,
 * each a name of up to 27 bytes with a weight of up to 1.875, stored with four binary digits.
 */
export class Vector {
  readonly #parts: VectorParts;

  /**
   * @param elements numbers, bytes taken as int8 with scale 1, or features; empty: the null vector.
   * The runtime passes the stored representation.
   * @throws ValueError, TypeError
   */
  constructor(elements: VectorElements | VectorParts = []) {
    this.#parts = elements instanceof VectorParts ? elements : parseElements(elements, "vector");
  }

  /** Number of components including padding, or of features. */
  get length(): number {
    return this.#parts.length;
  }

  /** Euclidean norm. */
  get magnitude(): number {
    return computeMagnitude(this.#parts);
  }

  /** 64 bits, many of which similar vectors share. */
  get fingerprint(): bigint {
    return joinBits(this.#parts.fingerprint);
  }

  /** The components as numbers; the weights of features. */
  get external(): number[] {
    const { isFeatures, features } = this.#parts;
    if (isFeatures) return features.pairs().map(([, weight]) => weight);
    return toComponents(this.#parts) as number[];
  }

  /** The features; empty for a vector of numbers. */
  get features(): Feature[] {
    return this.#parts.isFeatures ? this.#parts.features.pairs() : [];
  }

  /** A copy of the stored components; for features codes of the weights. */
  get internal(): Int8Array {
    const { isFeatures, features, bytes } = this.#parts;
    if (!isFeatures) return bytes.slice();
    return Int8Array.from({ length: features.count }, (_, index) => features.code(index));
  }

  /** "int8", or the higher precision of the graph that it was read from. */
  get precision(): VectorPrecision {
    return PRECISIONS[this.#parts.precision]!;
  }

  /** Factor of the components in `internal`. */
  get alpha(): number {
    return this.#parts.scale;
  }

  /** Returns the cosine of the angle, over the components that both vectors have. */
  cosine(other: VectorLike): number {
    return compareVectors(COSINE, this.#parts, parseVector(other, "other"));
  }

  /** Returns the distance, over the components that both vectors have. */
  euclideanDistance(other: VectorLike): number {
    return computeDistance(this.#parts, parseVector(other, "other"));
  }

  /** Returns the Hamming distance of the fingerprints. */
  hammingDistance(other: VectorLike): number {
    return computeHamming(this.#parts, parseVector(other, "other"));
  }

  /** Returns the Jaccard similarity of feature weights, 0 to 1; 0 for vectors of numbers. */
  jaccard(other: VectorLike): number {
    return computeJaccard(this.#parts, parseVector(other, "other"));
  }

  /** Returns the dot product; NaN for features. */
  dot(other: VectorLike): number {
    const parts = parseVector(other, "other");
    if (parts.isFeatures || this.#parts.isFeatures) return Number.NaN;
    return compareVectors(DOT_PRODUCT, this.#parts, parts);
  }

  /**
   * Returns the sum.
   * @throws ValueError sum out of range
   */
  add(other: VectorLike): Vector {
    return new Vector(meanVector([this.#parts, parseVector(other, "other")], [1, 1], "sum"));
  }

  /**
   * Returns the difference.
   * @throws ValueError difference out of range
   */
  subtract(other: VectorLike): Vector {
    return new Vector(
      meanVector([this.#parts, parseVector(other, "other")], [1, -1], "difference"),
    );
  }

  /**
   * Returns the product with a number.
   * @throws ValueError product out of range, or not a number
   */
  multiply(factor: number): Vector {
    if (!Number.isFinite(factor)) throw new ValueError("factor must be a finite number");
    return new Vector(meanVector([this.#parts], [factor], "product"));
  }

  /** Returns whether all components and the scale are equal. */
  equals(other: VectorLike): boolean {
    return equalComponents(this.#parts, parseVector(other, "other"));
  }

  /** Returns the complete stored state. */
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

  /** Returns the JSON representation: components or features. */
  toJSON(): VectorComponents {
    return toComponents(this.#parts);
  }

  static {
    getParts = (vector) => vector.#parts;
  }
}

/**
 * Returns the stored representation of a vector, or of the elements of a vector.
 * @param path name of the argument in messages
 * @param retainsExact false if it is only for a graph of int8 vectors
 * @throws ValueError, TypeError
 */
export function parseVector(value: unknown, path: string, retainsExact = true): VectorParts {
  return value instanceof Vector ? getParts(value) : parseElements(value, path, retainsExact);
}

function parseElements(value: unknown, path: string, retainsExact = true): VectorParts {
  if (Array.isArray(value) && Array.isArray(value[0])) return parseFeatures(value, path);
  if (Array.isArray(value) || value instanceof Float32Array || value instanceof Float64Array) {
    return quantize(value, path, retainsExact);
  }
  if (value instanceof Int8Array || value instanceof Uint8Array) {
    const { buffer, byteOffset, length } = value;
    return parseBytes(new Int8Array(buffer, byteOffset, length), 1, path);
  }
  throw new TypeError(`${path} must be a list of numbers or a vector`);
}
