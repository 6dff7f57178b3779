// Dot products of vectors in memory that WebAssembly kernels cannot address: a graph of automatic
// size has such memory until its vectors are enlarged.

import type { VectorKernel } from "../kernels/vector-kernel.js";

/** The kernels of single vectors. */
export type DotKernel = Pick<VectorKernel, "dot" | "wide">;

/** @param buffer memory of the vectors, which may grow: addresses beyond it count as 0 */
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
  };
}
