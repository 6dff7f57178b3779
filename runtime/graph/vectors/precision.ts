// Precision of stored vectors. int8 vectors have one scale. Vectors of larger precision have int8
// components, which select candidates, and an exact row, which determines the score. Binary vectors
// are stored as bits, without loss.
//
// float16 rows hold multiples of a power of two, the unit, which follows from the scale. Therefore
// vectors of any magnitude use the range of float16 well.

import type { PRECISIONS } from "../../base/precisions.js";

/** Name of a precision in settings and options. */
export type VectorPrecision = (typeof PRECISIONS)[number];

/** Offsets in `PRECISIONS`. */
export const Precision = { Int8: 0, Float16: 1, Float32: 2, Binary: 3 } as const;

/** Returns whether vectors have an exact row in addition to their int8 components. */
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

/** Returns the size of the exact row of a vector in words. */
export function computeRowWords(components: number, precision: number): number {
  if (!hasExactRow(precision)) return 0;
  return precision === Precision.Float32 ? components : components / 2;
}

/** Returns the unit of float16 components, a power of two; 1 for a zero vector. */
export function computeHalfUnit(scale: number): number {
  if (scale === 0) return 1;
  float[0] = scale;
  return Math.max(MIN_UNIT, 2 ** ((bits[0]! >>> 23) - 127));
}

/** Converts a float16 to a float32. */
export function decodeHalf(half: number, unit: number): number {
  bits[0] = (half & 0x7fff) << 13;
  const magnitude = Math.fround(float[0]! * 2 ** 112 * unit);
  return (half & 0x8000) === 0 ? magnitude : -magnitude;
}

/** Converts a number to the nearest float16, to even on ties. The maximum is 65,504 units. */
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
