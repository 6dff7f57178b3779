// The functions of vectors.wat, bound to one memory. Addresses are bytes of that memory; whoever
// calls has checked them against it.

import { type ArenaMemory, instantiateKernel } from "../memory/arena.js";
import { CODE } from "./.generated/vectors.js";

export interface VectorKernel {
  /** Sum of the products of two vectors of int8. */
  dot(a: number, b: number, length: number): number;
  /** The same, of a probe of int16 and a vector of int8; for at least 32 of them. */
  wide(probe: number, vector: number, length: number): number;
  /** Writes float32 scores of the slots whose addresses are listed. */
  many(
    list: number,
    count: number,
    probe: number,
    length: number,
    factor: number,
    to: number,
  ): void;
  /** Brings the slots whose addresses are listed into the caches. */
  touch(list: number, count: number, bytes: number): number;
  /** Writes {address, float32 score} of the slots that reach the threshold; returns how many. */
  scan(
    slot: number,
    count: number,
    stride: number,
    probe: number,
    factor: number,
    threshold: number,
    to: number,
  ): number;
  /** Largest magnitude of float32s; NaN or infinity if there is one. A multiple of 4 of them. */
  largest(from: number, length: number): number;
  quantise(from: number, length: number, scale: number, to: number): void;
  /** Hash of 64 bits. */
  mix(value: bigint): bigint;
  weights(table: number, positions: number, state: number): void;
  fingerprint(vector: number, length: number, table: number, to: number): void;
}

export function vectorKernel(memory: ArenaMemory): VectorKernel {
  return instantiateKernel(CODE, memory) as unknown as VectorKernel;
}
