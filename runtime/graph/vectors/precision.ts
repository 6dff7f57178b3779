// Precision of stored vectors. int8 vectors have one scale. Vectors of larger precision have the
// same int8 components, which select candidates, and an exact row, which decides. Binary vectors
// are bits: of their components, which are 0 or 1, nothing is lost.
//
// float16 rows hold multiples of a power of two that follows from the scale, so that the largest
// components use the exponents of float16 well whatever the magnitude of the vector.

import type { PRECISIONS } from "../../base/precisions.js";

/** Name of a precision in settings and options. */
export type VectorPrecision = (typeof PRECISIONS)[number];

/** Offsets in `PRECISIONS`. */
export const Precision = { Int8: 0, Float16: 1, Float32: 2, Binary: 3 } as const;

/** Returns whether vectors have an exact row beside their int8 components. */
export function hasExactRow(precision: number): boolean {
  return precision === Precision.Float16 || precision === Precision.Float32;
}

/**
 * Minimum scale of a nonzero vector of larger precision: the smallest normal float32, so that
 * kernels lose no digits.
 */
export const MIN_SCALE = 2 ** -126;
/** Minimum unit of float16 components: no multiple of it is a subnormal float32. */
const MIN_UNIT = 2 ** -100;

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** Returns the words of the exact row of a vector. */
export function computeRowWords(components: number, precision: number): number {
  if (!hasExactRow(precision)) return 0;
  return precision === Precision.Float32 ? components : components / 2;
}

/** Returns the power of two that float16 components are multiples of; 1 for a zero vector. */
export function computeHalfUnit(scale: number): number {
  if (scale === 0) return 1;
  float[0] = scale;
  return Math.max(MIN_UNIT, 2 ** ((bits[0]! >>> 23) - 127));
}

/** Returns the float32 that a float16 stands for. */
export function decodeHalf(half: number, unit: number): number {
  bits[0] = (half & 0x7fff) << 13;
  const magnitude = Math.fround(float[0]! * 2 ** 112 * unit);
  return (half & 0x8000) === 0 ? magnitude : -magnitude;
}

/** Returns the bits of the nearest float16, to even on ties; numbers up to 65,504. */
export function encodeHalf(value: number, unit: number): number {
  const scaled = Math.abs(value) / unit;
  float[0] = scaled;
  // Below 2^-14 the numbers are subnormal.
  const exponent = Math.max(-14, (bits[0]! >>> 23) - 127);
  const step = 2 ** (exponent - 10);
  const rounded = roundToEven(scaled / step) * step;
  float[0] = rounded * 2 ** -112;
  return (bits[0]! >>> 13) | (value < 0 || Object.is(value, -0) ? 0x8000 : 0);
}

function roundToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return rest < 0.5 ? floor : floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}
