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
  /** Sums of squares of the first components, by their number. */
  readonly #squares = new Map<number, number>();

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
    // A search makes one: loops are several times as fast as the functions of typed arrays.
    const words = new Int16Array(length);
    this.words = words;
    if (scale === 0) return;
    const factor = most / largest;
    for (let at = 0; at < length; at++) {
      const multiple = components[at]! * factor;
      // Storing drops the fraction.
      words[at] = multiple + (multiple < 0 ? -0.5 : 0.5);
    }
  }

  /** Returns what kernels need of the first components. */
  terms(length: number): ProbeTerms {
    const scale = this.#scale;
    const norm = Math.sqrt(this.sumSquares(length));
    let lost = 0;
    for (let index = 0; index < length; index++) {
      lost += (this.components[index]! - scale * this.words[index]!) ** 2;
    }
    return { length, scale, factor: norm === 0 ? 0 : scale / norm, norm, error: Math.sqrt(lost) };
  }

  /** Returns the sum of squares of the first components. */
  sumSquares(length: number): number {
    const known = this.#squares.get(length);
    if (known !== undefined) return known;
    let sum = 0;
    for (let index = 0; index < length; index++) sum += this.components[index]! ** 2;
    this.#squares.set(length, sum);
    return sum;
  }
}
