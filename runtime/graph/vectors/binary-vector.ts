// Binary vectors: components of 0 and 1, one bit each. The dot product is the number of common
// ones, so all measures apply and are exact.

import { bitCount } from "../memory/bit-count.js";
import type { ProbeTerms } from "./measures/probe-terms.js";
import { computeBitWords } from "./vector-layout.js";

/** Maximum error of a component 1 in an int8 vector, because the scale is a float32. */
const TOLERANCE = 1e-6;

/** The fields of `VectorParts` that `isBinary` needs. */
interface Components {
  readonly bytes: Int8Array;
  readonly scale: number;
  readonly exact: Float32Array | null;
  readonly isFeatures: boolean;
}

/** Returns whether all components are 0 or 1. */
export function isBinary({ bytes, scale, exact, isFeatures }: Components): boolean {
  if (isFeatures) return false;
  // Each search in a graph of binary vectors tests its probe: loops are much faster than `every`.
  if (exact !== null) {
    for (let at = 0; at < exact.length; at++) if (exact[at] !== 0 && exact[at] !== 1) return false;
    return true;
  }
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== 0 && !(Math.abs(bytes[at]! * scale - 1) < TOLERANCE)) return false;
  }
  return true;
}

/** Packs components, 0 or not, into bits from the lowest on; pads them for kernels. */
export function packBits(components: Int8Array): Uint32Array {
  const words = new Uint32Array(computeBitWords(components.length));
  for (let first = 0; first < components.length; first += 32) {
    let word = 0;
    for (let at = 31; at >= 0; at--) word = (word << 1) | Number(components[first + at] !== 0);
    words[first >>> 5] = word;
  }
  return words;
}

/** Unpacks bits to components of 0 and 1. */
export function unpackBits(words: Uint32Array, from: number, length: number): Int8Array {
  const bytes = new Int8Array(length);
  // Builds of indexes read each vector: a loop takes a sixteenth of the time of `from`.
  for (let at = 0; at < length; at++) bytes[at] = (words[from + (at >>> 5)]! >>> (at & 31)) & 1;
  return bytes;
}

/** Counts the ones among the first components. */
export function countBits(words: Uint32Array, from: number, components: number): number {
  let sum = 0;
  for (let at = 0; at < components / 32; at++) sum += bitCount(words[from + at]!);
  return sum;
}

/** Probe for spaces of binary vectors. */
export class BinaryProbe {
  /** Bits in the form that kernels load. */
  readonly words: Int16Array;
  /** Identifies the contents in kernel buffers. */
  readonly serial: number;
  readonly #bits: Uint32Array;
  /** Number of components, and of ones. */
  readonly #length: number;
  readonly #squares: number;

  /** @param bytes components that are 0 or not */
  constructor(bytes: Int8Array, serial: number) {
    this.serial = serial;
    this.#bits = packBits(bytes);
    this.words = new Int16Array(this.#bits.buffer);
    this.#length = bytes.length;
    this.#squares = countBits(this.#bits, 0, bytes.length);
  }

  /** Returns the terms of the first components, for kernels. */
  terms(length: number): ProbeTerms {
    const squares = this.sumSquares(length);
    const norm = Math.sqrt(squares);
    return { length, scale: 1, factor: squares === 0 ? 0 : 1 / norm, norm, error: 0 };
  }

  /** Returns the number of the first components that are 1. */
  sumSquares(length: number): number {
    return length === this.#length ? this.#squares : countBits(this.#bits, 0, length);
  }
}
