// Fallback for memory that WebAssembly kernels cannot address: a graph of automatic size has such
// memory until its vectors are enlarged.

import { bitCount } from "../memory/bit-count.js";
import type { VectorKernel } from "./kernels/vector-kernel.js";
import { decodeHalf } from "./precision.js";

/** The kernels of single vectors. */
export type DotKernel = Pick<
  VectorKernel,
  "dot" | "wide" | "common" | "dotFloats" | "distanceFloats" | "widenHalves"
>;

/**
 * Creates the kernels.
 * @param buffer memory of the vectors, which may grow: bytes beyond it count as 0
 */
export function plainKernel(buffer: SharedArrayBuffer): DotKernel {
  const bytes = new Int8Array(buffer);
  return {
    dot: (a, b, length) => {
      let sum = 0;
      for (let index = 0; index < length; index++) sum += bytes[a + index]! * bytes[b + index]!;
      return sum | 0;
    },
    wide: (probe, vector, length) => {
      const wide = new Int16Array(buffer, probe, length);
      let sum = 0;
      for (let index = 0; index < length; index++) sum += wide[index]! * bytes[vector + index]!;
      return sum | 0;
    },
    common: (a, b, count) => {
      const [left, right] = [a, b].map((from) => new Uint32Array(buffer, from, count / 4));
      let sum = 0;
      for (let index = 0; index < count / 4; index++)
        sum += bitCount(left![index]! & right![index]!);
      return sum;
    },
    dotFloats: (a, b, length) => {
      const [left, right] = floatsAt(buffer, a, b, length);
      let sum = 0;
      for (let index = 0; index < length; index++) sum += left[index]! * right[index]!;
      return sum;
    },
    distanceFloats: (a, b, length) => {
      const [left, right] = floatsAt(buffer, a, b, length);
      let sum = 0;
      for (let index = 0; index < length; index++) sum += (left[index]! - right[index]!) ** 2;
      return sum;
    },
    widenHalves: (from, length, unit, to) => {
      const halves = new Uint16Array(buffer, from, length);
      const floats = new Float32Array(buffer, to, length);
      for (let index = 0; index < length; index++) floats[index] = decodeHalf(halves[index]!, unit);
    },
  };
}

/** Callers have checked the addresses. */
function floatsAt(
  buffer: SharedArrayBuffer,
  a: number,
  b: number,
  length: number,
): readonly [Float32Array, Float32Array] {
  return [new Float32Array(buffer, a, length), new Float32Array(buffer, b, length)];
}
