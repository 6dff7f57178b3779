// Probe of spaces of larger precision: its float32 components, and int16 components that kernels
// compare with int8 ones. int16 loses less than int8 by far, so bounds of exact scores are tighter.

import type { ProbeTerms } from "./measures/probe-terms.js";
import { scratchBuffers } from "./scratch-buffers.js";
import { exactComponents, type VectorParts } from "./vector-parts.js";

const MAX_WORD = 32_767;
const MAX_BYTE = 127;

export class WideProbe {
  readonly components: Float32Array;
  /** Identifies the contents in kernel buffers. */
  readonly serial: number;
  /** Of the int16 components. */
  readonly #scale: number;
  /** Number of the first components whose sums were computed last. */
  #first = -1;
  /** Sums of squares of what quantization to int16 lost, and of the components. */
  #lost = 0;
  #squares = 0;

  constructor(parts: VectorParts, serial: number) {
    this.serial = serial;
    this.components = exactComponents(parts);
    const { length } = this.components;
    const bench = scratchBuffers();
    bench.input.set(this.components);
    // Kernels sum the products in int32.
    const most = Math.min(MAX_WORD, Math.floor((2 ** 31 - 1) / (MAX_BYTE * length)));
    // A zero vector has any scale.
    this.#scale = bench.largest(length) / most || 1;
  }

  /** The int16 components, until this thread makes another vector. */
  words(): Int16Array {
    const bench = scratchBuffers();
    bench.widen(this.components, this.#scale);
    return bench.words(this.components.length);
  }

  /** Returns what kernels need of the first components. */
  terms(length: number): ProbeTerms {
    const scale = this.#scale;
    const norm = Math.sqrt(this.sumSquares(length));
    const factor = norm === 0 ? 0 : scale / norm;
    return { length, scale, factor, norm, error: Math.sqrt(this.#lost) };
  }

  /** Returns the sum of squares of the first components. */
  sumSquares(length: number): number {
    if (length !== this.#first) {
      const { components } = this;
      const isAll = length === components.length;
      const first = isAll ? components : components.subarray(0, length);
      ({ lost: this.#lost, squares: this.#squares } = scratchBuffers().widen(first, this.#scale));
      this.#first = length;
    }
    return this.#squares;
  }
}
