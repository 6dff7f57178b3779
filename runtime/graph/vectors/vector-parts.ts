// Stored representation of a vector, its creation from numbers or features, and computations in
// ordinary memory; kernels do the same in the arena of a graph.

import { bitCount } from "../memory/bit-count.js";
import { ValueError } from "../model/errors.js";
import { isBinary } from "./binary-vector.js";
import { featureJaccard, featureMagnitude, sumOfSquaredWeights } from "./feature-measures.js";
import {
  encodeFeatures,
  type Feature,
  type FeatureList,
  MAX_FEATURES,
  toFeatureList,
} from "./features.js";
import {
  computeHalfUnit,
  decodeHalf,
  encodeHalf,
  hasExactRow,
  MIN_SCALE,
  Precision,
} from "./precision.js";
import {
  COMPONENT_STEP,
  type Fingerprint,
  MAX_COMPONENTS,
  scratchBuffers,
} from "./scratch-buffers.js";

/** Components of a vector as users write them. */
export type VectorComponents = number[] | Feature[];

/** A vector as graphs store it; immutable by convention. */
export class VectorParts {
  /** Null until first use: most probes need no fingerprint. */
  #fingerprint: Fingerprint | null;

  constructor(
    /** int8 components, or encoded features (features.ts); a multiple of 32 bytes. */
    readonly bytes: Int8Array,
    /** Factor of each component; a float32. */
    readonly scale: number,
    /** Sum of the squares of the components. */
    readonly squares: number,
    fingerprint: Fingerprint | null,
    readonly isFeatures = false,
    /** Float32 numbers that the vector was created from, padded; null if not available. */
    readonly exact: Float32Array | null = null,
    /**
     * Offset in `PRECISIONS`. A vector of larger precision has its components in `exact`; a binary
     * vector has the bytes 0 and 1.
     */
    readonly precision: number = Precision.Int8,
  ) {
    this.#fingerprint = fingerprint;
  }

  get fingerprint(): Fingerprint {
    this.#fingerprint ??= this.isFeatures
      ? scratchBuffers().fingerprintFeatures(this.features)
      : computeFingerprint(this.bytes);
    return this.#fingerprint;
  }

  /** Features; only for a vector of features. */
  get features(): FeatureList {
    return toFeatureList(this.bytes);
  }

  /** Number of components, or of features. */
  get length(): number {
    return this.isFeatures ? this.features.count : this.bytes.length;
  }
}

/** The null vector: the vector of a vertex without one, or of an empty list. */
export const NULL_PARTS = new VectorParts(new Int8Array(0), 0, 0, { low: 0, high: 0 });

/** Not a valid component, because its negation is not an int8. */
const INVALID_COMPONENT = -128;
const MAX_COMPONENT = 127;

/**
 * Quantizes numbers.
 * @param path name of the argument in messages
 * @param retainsExact false if the vector is only for a graph of int8 vectors
 * @throws ValueError, TypeError
 */
export function quantize(
  numbers: ArrayLike<unknown>,
  path: string,
  retainsExact = true,
): VectorParts {
  const { length } = numbers;
  if (length === 0) return NULL_PARTS;
  refuseLength(length, path);
  const { input } = scratchBuffers();
  for (let index = 0; index < length; index++) {
    const number = numbers[index];
    if (typeof number !== "number") refuseNumber(number, index, path);
    input[index] = number;
  }
  const name = (index: number): string => `${path}[${index}] is ${String(numbers[index])}`;
  return quantizeInput(length, name, retainsExact);
}

/** Quantizes the input of the scratch buffers. */
function quantizeInput(
  length: number,
  pathAt: (index: number) => string,
  retainsExact: boolean,
): VectorParts {
  const bench = scratchBuffers();
  const { input } = bench;
  const padded = paddedLength(length);
  input.fill(0, length, padded);
  const largest = bench.largest(padded);
  if (!Number.isFinite(largest)) {
    const index = input.findIndex((number) => !Number.isFinite(number));
    throw new ValueError(`${pathAt(index)}: components of a vector must be finite float32 numbers`);
  }
  const scale = Math.fround(largest / MAX_COMPONENT);
  if (scale === 0) bench.output.fill(0, 0, padded);
  else bench.quantize(padded, scale);
  return createFromOutput(padded, scale, retainsExact ? input.slice(0, padded) : null);
}

/**
 * Converts a vector to the precision of a graph. Lower precision loses digits for good. Higher
 * precision uses the numbers that the vector was created from, or else its int8 components.
 * @throws ValueError a vector that is not binary for a graph of binary vectors
 */
export function toPrecision(parts: VectorParts, precision: number, path = "vector"): VectorParts {
  if (parts.precision === precision || parts.isFeatures || parts.bytes.length === 0) return parts;
  if (precision === Precision.Binary) return toBinary(parts, path);
  if (parts.precision === Precision.Binary) {
    return toPrecision(quantize(exactComponents(parts), path), precision);
  }
  if (precision === Precision.Int8) {
    const { bytes, scale, squares, fingerprint } = parts;
    return new VectorParts(bytes, scale, squares, fingerprint);
  }
  const exact = exactComponents(parts);
  const isZero = exact.every((component) => component === 0);
  const scale = isZero ? 0 : Math.max(parts.scale, MIN_SCALE);
  if (precision === Precision.Float32) return preciseParts(exact, scale, precision);
  const unit = computeHalfUnit(scale);
  const rounded = exact.map((component) => decodeHalf(encodeHalf(component, unit), unit));
  return preciseParts(rounded, rounded.some((component) => component !== 0) ? scale : 0, precision);
}

/**
 * Creates a vector of larger precision. Its int8 components follow from the arguments alone, so
 * every instance that stores the vector has the same.
 * @param scale 0 for a zero vector, else at least `MIN_SCALE`
 */
export function preciseParts(exact: Float32Array, scale: number, precision: number): VectorParts {
  const bench = scratchBuffers();
  const { length } = exact;
  bench.input.set(exact);
  if (scale === 0) bench.output.fill(0, 0, length);
  else bench.quantize(length, scale);
  return createFromOutput(length, scale, exact, precision);
}

function toBinary(parts: VectorParts, path: string): VectorParts {
  if (isBinary(parts)) return binaryParts(parts.bytes);
  throw new ValueError(`${path}: a graph of precision binary stores vectors of 0 and 1`);
}

/**
 * Creates a binary vector.
 * @param components components other than 0 become 1
 */
export function binaryParts(components: Int8Array): VectorParts {
  const bytes = components.map((component) => (component === 0 ? 0 : 1));
  const squares = bytes.reduce((sum, byte) => sum + byte, 0);
  return new VectorParts(bytes, 1, squares, null, false, null, Precision.Binary);
}

/**
 * Creates a vector from pairs of name and weight.
 * @throws ValueError, TypeError
 */
export function parseFeatures(features: readonly unknown[], path: string): VectorParts {
  return features.length === 0 ? NULL_PARTS : featureParts(encodeFeatures(features, path));
}

/**
 * Creates a vector of features.
 * @param bytes features encoded by `encodeFeatures`
 */
export function featureParts(bytes: Int8Array): VectorParts {
  const list = toFeatureList(bytes);
  const squares = sumOfSquaredWeights(list);
  return new VectorParts(bytes, 1, squares, null, true);
}

/**
 * Creates a vector from int8 components, whose number is a multiple of 32.
 * @throws ValueError
 */
export function parseBytes(bytes: Int8Array, scale: number, path: string): VectorParts {
  const { length } = bytes;
  if (length === 0) return NULL_PARTS;
  refuseLength(length, path);
  if (length % COMPONENT_STEP !== 0) {
    throw new ValueError(`${path}: bytes of a vector must be a multiple of ${COMPONENT_STEP}`);
  }
  const { output } = scratchBuffers();
  const invalid = bytes.indexOf(INVALID_COMPONENT);
  if (invalid >= 0)
    throw new ValueError(`${path}[${invalid}] is -128; components range from -127 to 127`);
  output.set(bytes);
  return createFromOutput(length, scale);
}

function createFromOutput(
  length: number,
  scale: number,
  exact: Float32Array | null = null,
  precision: number = Precision.Int8,
): VectorParts {
  const bench = scratchBuffers();
  const bytes = bench.output.slice(0, length);
  const squares = bench.squares(length);
  return new VectorParts(bytes, scale, squares, null, false, exact, precision);
}

/**
 * Returns the weighted sum of vectors, as long as the longest.
 * @throws ValueError components that are too large
 */
export function meanVector(
  vectors: readonly VectorParts[],
  factors: readonly number[],
  path: string,
): VectorParts {
  const length = vectors.reduce((maximum, { bytes }) => Math.max(maximum, bytes.length), 0);
  if (length === 0) return NULL_PARTS;
  if (vectors.some(({ isFeatures }) => isFeatures)) {
    return combineFeatures(vectors, factors, path);
  }
  const sums = new Float64Array(length);
  vectors.forEach((parts, which) => {
    const isExact = parts.precision !== Precision.Int8;
    const components = isExact ? exactComponents(parts) : parts.bytes;
    const factor = isExact ? factors[which]! : parts.scale * factors[which]!;
    for (let index = 0; index < components.length; index++) {
      sums[index]! += components[index]! * factor;
    }
  });
  scratchBuffers().input.set(sums);
  // Sums of binary vectors have the precision of int8 vectors.
  const precision = vectors.reduce(
    (highest, parts) =>
      hasExactRow(parts.precision) ? Math.max(highest, parts.precision) : highest,
    0,
  );
  const name = (index: number): string => `${path}: component ${index} is ${sums[index]}`;
  return toPrecision(quantizeInput(length, name, true), precision);
}

/** Returns the features with the largest positive sums. */
function combineFeatures(
  vectors: readonly VectorParts[],
  factors: readonly number[],
  path: string,
): VectorParts {
  const sums = new Map<string, number>();
  vectors.forEach((parts, which) => {
    if (parts.bytes.length === 0) return;
    if (!parts.isFeatures) throw new ValueError(`${path}: vectors of numbers and of features`);
    for (const [name, weight] of parts.features.pairs()) {
      sums.set(name, (sums.get(name) ?? 0) + weight * factors[which]!);
    }
  });
  const sorted = [...sums].filter(([, sum]) => sum > 0).sort(([, a], [, b]) => b - a);
  return parseFeatures(sorted.slice(0, MAX_FEATURES), path);
}

/** Returns the fingerprint with the weights of a seed. */
export function seededFingerprint(parts: VectorParts, seed: bigint): bigint {
  const { bytes } = parts;
  if (bytes.length === 0) return 0n;
  return joinBits(
    parts.isFeatures
      ? scratchBuffers().fingerprintFeatures(parts.features, seed)
      : computeFingerprint(bytes, seed),
  );
}

function computeFingerprint(bytes: Int8Array, seed = 0n): Fingerprint {
  const bench = scratchBuffers();
  bench.output.set(bytes);
  return bench.fingerprint(bytes.length, seed);
}

export function joinBits({ low, high }: Fingerprint): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}

/** Returns the weighted Jaccard similarity of features; 0 for vectors of numbers. */
export function computeJaccard(a: VectorParts, b: VectorParts): number {
  return a.isFeatures && b.isFeatures ? featureJaccard(a.features, b.features) : 0;
}

/**
 * Returns the distance over the components that both vectors have. If one is the null vector, this
 * is the magnitude of the other; for features, it is Infinity.
 */
export function computeDistance(a: VectorParts, b: VectorParts): number {
  if (a.isFeatures || b.isFeatures) return Number.POSITIVE_INFINITY;
  const length = Math.min(a.bytes.length, b.bytes.length);
  if (length === 0) return Math.fround(computeMagnitude(a) + computeMagnitude(b));
  if (a.precision !== b.precision || a.precision !== Precision.Int8) {
    return Math.sqrt(sumExactDifferences(a, b));
  }
  const product = dot(a.bytes, b.bytes);
  return distance(product, sumSquares(a, length), a.scale, sumSquares(b, length), b.scale);
}

/** Returns the squared distance over the exact components that both vectors have. */
export function sumExactDifferences(a: VectorParts, b: VectorParts): number {
  const [left, right] = [exactComponents(a), exactComponents(b)];
  const length = Math.min(left.length, right.length);
  let sum = 0;
  for (let index = 0; index < length; index++) sum += (left[index]! - right[index]!) ** 2;
  return sum;
}

/** Returns the dot product over the exact components that both vectors have. */
export function sumExactProducts(a: VectorParts, b: VectorParts): number {
  const [left, right] = [exactComponents(a), exactComponents(b)];
  const length = Math.min(left.length, right.length);
  let sum = 0;
  for (let index = 0; index < length; index++) sum += left[index]! * right[index]!;
  return sum;
}

/** Returns the distance from sums over the same components. */
function distance(
  product: number,
  squares: number,
  scale: number,
  otherSquares: number,
  otherScale: number,
): number {
  const squaredNorm = squares * scale * scale;
  const otherSquaredNorm = otherSquares * otherScale * otherScale;
  return Math.fround(
    Math.sqrt(Math.max(0, squaredNorm + otherSquaredNorm - 2 * product * scale * otherScale)),
  );
}

export function computeHamming(a: VectorParts, b: VectorParts): number {
  return (
    bitCount(a.fingerprint.low ^ b.fingerprint.low) +
    bitCount(a.fingerprint.high ^ b.fingerprint.high)
  );
}

/** Returns the components as numbers, or the features with their weights. */
export function toComponents(parts: VectorParts): VectorComponents {
  const { bytes, scale } = parts;
  if (parts.isFeatures) return parts.features.pairs();
  if (parts.precision !== Precision.Int8) return Array.from(exactComponents(parts));
  return Array.from(bytes, (byte) => Math.fround(byte * scale));
}

/** Returns the numbers that a vector was created from, or else its int8 components as numbers. */
export function exactComponents({ exact, bytes, scale }: VectorParts): Float32Array {
  return exact ?? Float32Array.from(bytes, (byte) => byte * scale);
}

export function computeMagnitude(parts: VectorParts): number {
  const { squares, scale, isFeatures } = parts;
  if (parts.precision !== Precision.Int8) return Math.sqrt(sumExactSquares(parts));
  return isFeatures ? featureMagnitude(squares) : scale * Math.sqrt(squares);
}

/** Returns the sum of squares of the first exact components (default: all). */
export function sumExactSquares(parts: VectorParts, length = parts.bytes.length): number {
  const exact = exactComponents(parts);
  let sum = 0;
  for (let index = 0; index < length; index++) sum += exact[index]! * exact[index]!;
  return sum;
}

/** Returns the dot product over the components that both vectors have. */
export function dot(a: Int8Array, b: Int8Array): number {
  const length = Math.min(a.length, b.length);
  let sum = 0;
  for (let index = 0; index < length; index++) sum += a[index]! * b[index]!;
  return sum;
}

/** Returns the sum of squares of the first components. */
export function sumSquares({ bytes, squares }: VectorParts, length: number): number {
  if (length === bytes.length) return squares;
  const first = bytes.subarray(0, length);
  return dot(first, first);
}

/** Returns whether two vectors of one kind have equal components. */
export function equalComponents(a: VectorParts, b: VectorParts): boolean {
  if (a.bytes.length !== b.bytes.length || a.isFeatures !== b.isFeatures) return false;
  if (a.precision === Precision.Int8 && b.precision === Precision.Int8) {
    return a.scale === b.scale && a.bytes.every((byte, index) => byte === b.bytes[index]);
  }
  if (a.precision === Precision.Binary && b.precision === Precision.Binary) {
    return a.bytes.every((byte, index) => byte === b.bytes[index]);
  }
  const others = exactComponents(b);
  return exactComponents(a).every((component, index) => component === others[index]);
}

/** Returns whether stored vectors can have this number of components. */
export function isVectorLength(length: number): boolean {
  return length > 0 && length <= MAX_COMPONENTS && length % COMPONENT_STEP === 0;
}

export function paddedLength(length: number): number {
  return Math.ceil(length / COMPONENT_STEP) * COMPONENT_STEP;
}

function refuseLength(length: number, path: string): void {
  if (length <= MAX_COMPONENTS) return;
  throw new ValueError(
    `${path}: vector length ${length} exceeds max euclidean vector length ${MAX_COMPONENTS}`,
  );
}

function refuseNumber(value: unknown, index: number, path: string): never {
  if (Array.isArray(value)) {
    throw new ValueError(`${path}[${index}]: either all are numbers, or pairs of name and weight`);
  }
  const kind = value === null ? "null" : typeof value;
  throw new TypeError(`${path}[${index}] must be a number, not ${kind}`);
}
