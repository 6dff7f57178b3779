// The functions of vectors.wat, bound to one memory. Addresses are byte offsets. Callers must check
// them against the bounds of the memory.

import { type ArenaMemory, instantiateKernel } from "../../memory/arena.js";
import { CODE } from "./.generated/vectors.js";

/**
 * Writes {address, float32 score} of the slots that reach the threshold; returns their number.
 */
type SlotScan = (
  slot: number,
  count: number,
  stride: number,
  probe: number,
  field: number,
  factor: number,
  weight: number,
  base: number,
  threshold: number,
  to: number,
) => number;

export interface VectorKernel {
  /** Returns the dot product of two int8 vectors. */
  dot(a: number, b: number, length: number): number;
  /**
   * Returns the dot product of an int16 probe vector and an int8 vector of at least 32 components.
   */
  wide(probe: number, vector: number, length: number): number;
  /** Returns the number of bits set in both of two binary vectors of a multiple of 16 bytes. */
  common(a: number, b: number, bytes: number): number;
  /**
   * Writes the float32 scores of the listed slots: field * (factor * dot + ...) + base.
   * @param length number of components, or minus the bytes of a binary vector
   */
  many(
    list: number,
    count: number,
    probe: number,
    length: number,
    field: number,
    factor: number,
    weight: number,
    base: number,
    to: number,
  ): void;
  /** Writes the dot products of an int16 probe vector and the listed slots, as int32. */
  dots(list: number, count: number, probe: number, length: number, to: number): void;
  scan: SlotScan;
  /** Variant of `scan` for slots of binary vectors. */
  scanBits: SlotScan;
  /** Variant of `scan` for slots of larger precision, by an upper bound of the exact score. */
  bounded(
    slot: number,
    count: number,
    stride: number,
    length: number,
    probe: number,
    field: number,
    product: number,
    residual: number,
    reach: number,
    offset: number,
    threshold: number,
    to: number,
  ): number;
  /** Writes float32 upper bounds of the exact scores of the listed slots of larger precision. */
  boundMany(
    list: number,
    count: number,
    length: number,
    probe: number,
    field: number,
    product: number,
    residual: number,
    reach: number,
    offset: number,
    to: number,
  ): void;
  /** Scores listed slots; returns the slot to list the neighbors of, or 0 at the end of a walk. */
  walk(state: number, count: number): number;
  /** Ends a walk: moves its results to the first positions, best first. */
  finish(state: number): void;
  /** Replaces the results by the listed slots, scored by their similarity to a slot; best first. */
  rank(state: number, slot: number, count: number, factor: number): void;
  /** Reduces the sorted results to up to `room` diverse ones; returns their number. */
  diversify(state: number, room: number, factor: number): number;
  /**
   * Writes the dot products of float32s and listed rows, or their squared distances, as float64.
   * @param distance 1 for distances
   * @param units units of float16 rows, as float32
   * @param widened buffer for converting float16 rows to float32; 0: rows of float32
   */
  exactSums(
    list: number,
    count: number,
    probe: number,
    length: number,
    distance: number,
    units: number,
    widened: number,
    to: number,
  ): void;
  /** Returns the dot product of float32s, summed in float64. */
  dotFloats(a: number, b: number, length: number): number;
  /** Returns the squared distance of float32s, summed in float64. */
  distanceFloats(a: number, b: number, length: number): number;
  /** Writes float16s times a power of two as float32s. */
  widenHalves(from: number, length: number, unit: number, to: number): void;
  /**
   * Returns the largest magnitude of float32s, whose number is a multiple of 4; NaN or infinity if
   * one of them is.
   */
  largest(from: number, length: number): number;
  quantize(from: number, length: number, scale: number, to: number): void;
  /**
   * Quantizes float32s to int16; writes the sums of squares of the quantization errors and of the
   * float32s.
   */
  quantizeWords(from: number, length: number, scale: number, to: number, sums: number): void;
  /** Multiplies float32s by a factor, then subtracts a center. */
  center(at: number, length: number, factor: number, center: number): void;
  /** Multiplies float32s by other float32s. */
  multiply(at: number, length: number, by: number): void;
  /** Walsh-Hadamard transform of a power of two of float32s, in place. */
  hadamard(at: number, size: number): void;
  /** Writes a byte for each float32: 1 if it is positive, else 0. */
  positive(at: number, length: number, to: number): void;
  /** Returns a 64-bit hash. */
  mix(value: bigint): bigint;
  weights(table: number, positions: number, state: number): void;
  fingerprint(vector: number, length: number, table: number, to: number): void;
}

export function vectorKernel(memory: ArenaMemory): VectorKernel {
  return instantiateKernel(CODE, memory) as unknown as VectorKernel;
}
