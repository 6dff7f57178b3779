// Probe for spaces of larger precision: float32 components, and int16 components that kernels
// compare with int8 components. int16 loses far less than int8, so bounds of exact scores are
// tight.

import type { ProbeTerms } from "./measures/probe-terms.js";
import { scratchBuffers } from "./scratch-buffers.js";
import { exactComponents, type VectorParts } from "./vector-parts.js";

const MAX_WORD = 32_767;
const MAX_BYTE = 127;

export class WideProbe {
  readonly components: Float32Array;
  /** Identifies the contents in kernel buffers. */
  readonly serial: number;
  /** Scale of the int16 components. */
  readonly #scale: number;
  /** Number of components in the cached sums. */
  #summed = -1;
  /** Cached sums of squares of the errors of quantization to int16, and of the components. */
  #squaredError = 0;
  #squares = 0;

  constructor(parts: VectorParts, serial: number) {
    this.serial = serial;
    this.components = exactComponents(parts);
    const { length } = this.components;
    const bench = scratchBuffers();
    bench.input.set(this.components);
    // Kernels sum the products in int32.
    const maxWord = Math.min(MAX_WORD, Math.floor((2 ** 31 - 1) / (MAX_BYTE * length)));
    // The scale of a zero vector is arbitrary.
    this.#scale = bench.largest(length) / maxWord || 1;
  }

  /** Returns the int16 components, valid until this thread creates another vector. */
  words(): Int16Array {
    const bench = scratchBuffers();
    bench.widen(this.components, this.#scale);
    return bench.words(this.components.length);
  }

  /** Returns the terms of the first components, for kernels. */
  terms(length: number): ProbeTerms {
    const scale = this.#scale;
    const norm = Math.sqrt(this.sumSquares(length));
    const factor = norm === 0 ? 0 : scale / norm;
    return { length, scale, factor, norm, error: Math.sqrt(this.#squaredError) };
  }

  /** Returns the sum of squares of the first components. */
  sumSquares(length: number): number {
    if (length !== this.#summed) {
      const { components } = this;
      const isAll = length === components.length;
      const first = isAll ? components : components.subarray(0, length);
      ({ lost: this.#squaredError, squares: this.#squares } = scratchBuffers().widen(
        first,
        this.#scale,
      ));
      this.#summed = length;
    }
    return this.#squares;
  }
}
