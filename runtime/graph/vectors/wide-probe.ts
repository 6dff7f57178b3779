// Probe of spaces of larger precision: its float32 components, and int16 components that kernels
// compare with int8 ones. int16 loses less than int8 by far, so bounds of exact scores are tighter.

import type { ProbeTerms } from "./measures/probe-terms.js";
import { exactComponents, type VectorParts } from "./vector-parts.js";

const MAX_WORD = 32_767;
const MAX_BYTE = 127;

export class WideProbe {
  readonly components: Float32Array;
  /** int16 components: multiples of the scale. */
  readonly words: Int16Array;
  /** Identifies the contents in kernel buffers. */
  readonly serial: number;
  readonly #scale: number;
  /** Sum of squares of what quantization to int16 lost. */
  readonly #lost: number;
  /** Sum of squares of all components. */
  readonly #squares: number;
  /** Number of the first components whose sum was computed last, and that sum. */
  #first = -1;
  #squaresOfFirst = 0;

  constructor(parts: VectorParts, serial: number) {
    this.serial = serial;
    this.components = exactComponents(parts);
    const { components } = this;
    const { length } = components;
    let largest = 0;
    for (let at = 0; at < length; at++) {
      const magnitude = Math.abs(components[at]!);
      if (magnitude > largest) largest = magnitude;
    }
    // Kernels sum the products in int32.
    const most = Math.min(MAX_WORD, Math.floor((2 ** 31 - 1) / (MAX_BYTE * length)));
    const scale = largest / most;
    this.#scale = scale;
    const words = new Int16Array(length);
    this.words = words;
    const factor = scale === 0 ? 0 : most / largest;
    let lost = 0;
    let squares = 0;
    // A search makes one probe: one loop is several times as fast as functions of typed arrays.
    for (let at = 0; at < length; at++) {
      const component = components[at]!;
      const multiple = component * factor;
      // Storing drops the fraction.
      words[at] = multiple + (multiple < 0 ? -0.5 : 0.5);
      const rest = component - scale * words[at]!;
      lost += rest * rest;
      squares += component * component;
    }
    this.#lost = lost;
    this.#squares = squares;
  }

  /** Returns what kernels need of the first components. */
  terms(length: number): ProbeTerms {
    const { components, words } = this;
    const scale = this.#scale;
    const norm = Math.sqrt(this.sumSquares(length));
    let lost = length === components.length ? this.#lost : 0;
    if (length < components.length) {
      for (let at = 0; at < length; at++) lost += (components[at]! - scale * words[at]!) ** 2;
    }
    return { length, scale, factor: norm === 0 ? 0 : scale / norm, norm, error: Math.sqrt(lost) };
  }

  /** Returns the sum of squares of the first components. */
  sumSquares(length: number): number {
    if (length === this.components.length) return this.#squares;
    if (length !== this.#first) {
      let sum = 0;
      for (let index = 0; index < length; index++) sum += this.components[index]! ** 2;
      this.#first = length;
      this.#squaresOfFirst = sum;
    }
    return this.#squaresOfFirst;
  }
}
