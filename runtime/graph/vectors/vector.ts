// A vector as users see it: an immutable value, which belongs to no graph and holds nothing of
// shared memory.

import { ValueError } from "../model/errors.js";
import {
  bitsOf,
  combined,
  cosineOf,
  distanceOf,
  dot,
  externalOf,
  hammingOf,
  magnitudeOf,
  partsOfBytes,
  quantised,
  VectorParts,
} from "./vector-parts.js";

/** What a vector can be made of: numbers, or int8 bytes as they are. */
export type VectorElements =
  | readonly number[]
  | Float32Array
  | Float64Array
  | Int8Array
  | Uint8Array;
/** A vector, or what one can be made of. */
export type VectorLike = Vector | VectorElements;

/** What `asDict` tells of a vector. */
export interface VectorRecord {
  readonly external: number[];
  readonly internal: number[];
  readonly centroid: boolean;
  readonly type: "euclidean";
  readonly length: number;
  readonly fingerprint: bigint;
  readonly magnitude: number;
  readonly scale: number;
}

/** What is kept of a vector. */
export let partsOf: (vector: Vector) => VectorParts;

/**
 * A euclidean vector of up to 65,472 components, padded with zeros to a multiple of 32. Components
 * are kept as int8 with one scale: within 1/254 of the largest one.
 */
export class Vector {
  readonly #parts: VectorParts;

  /**
   * @param elements numbers, or bytes that are taken as int8 with scale 1; none: the null vector.
   * The runtime itself gives the parts of one.
   * @throws ValueError, TypeError
   */
  constructor(elements: VectorElements | VectorParts = []) {
    this.#parts = elements instanceof VectorParts ? elements : partsOfElements(elements, "vector");
  }

  /** Number of components, padding included. */
  get length(): number {
    return this.#parts.bytes.length;
  }

  /** Euclidean length. */
  get magnitude(): number {
    return magnitudeOf(this.#parts);
  }

  /** 64 bits, of which similar vectors share many. */
  get fingerprint(): bigint {
    return bitsOf(this.#parts.fingerprintLow, this.#parts.fingerprintHigh);
  }

  /** The components as numbers. */
  get external(): number[] {
    return externalOf(this.#parts);
  }

  /** The components as they are kept; a copy. */
  get internal(): Int8Array {
    return this.#parts.bytes.slice();
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

  /** Sum of the products of the components of two vectors. */
  dot(other: VectorLike): number {
    const { bytes, scale } = partsOfLike(other, "other");
    return this.#parts.scale * scale * dot(this.#parts.bytes, bytes);
  }

  /** @throws ValueError a sum that is too large */
  add(other: VectorLike): Vector {
    return new Vector(combined([this.#parts, partsOfLike(other, "other")], [1, 1], "sum"));
  }

  /** @throws ValueError a difference that is too large */
  subtract(other: VectorLike): Vector {
    return new Vector(combined([this.#parts, partsOfLike(other, "other")], [1, -1], "difference"));
  }

  /** @throws ValueError a product that is too large, or a factor that is no number */
  multiply(factor: number): Vector {
    if (!Number.isFinite(factor)) throw new ValueError("factor must be a finite number");
    return new Vector(combined([this.#parts], [factor], "product"));
  }

  /** True if all components and the scale are the same. */
  equals(other: VectorLike): boolean {
    const { bytes, scale } = this.#parts;
    const given = partsOfLike(other, "other");
    if (bytes.length !== given.bytes.length || scale !== given.scale) return false;
    return bytes.every((byte, index) => byte === given.bytes[index]);
  }

  /** Everything about the vector. */
  asDict(): VectorRecord {
    const { external, length, fingerprint, magnitude, alpha } = this;
    return {
      ...{ external, internal: [...this.#parts.bytes], centroid: false, type: "euclidean" },
      ...{ length, fingerprint, magnitude, scale: alpha },
    };
  }

  /** What `JSON.stringify` shows: the components. */
  toJSON(): number[] {
    return this.external;
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
  if (Array.isArray(value) || value instanceof Float32Array || value instanceof Float64Array) {
    return quantised(value, place);
  }
  if (value instanceof Int8Array || value instanceof Uint8Array) {
    const { buffer, byteOffset, length } = value;
    return partsOfBytes(new Int8Array(buffer, byteOffset, length), 1, place);
  }
  throw new TypeError(`${place} must be a list of numbers or a vector`);
}
