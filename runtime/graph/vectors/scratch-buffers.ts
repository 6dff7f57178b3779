// Thread-local kernel memory for creating vectors. It contains one vector at a time; only the table
// of weights persists between calls.
//
//   INPUT    float32 components, or int16 that replace them       OUTPUT   int8 components
//   RESULT   fingerprint, or sums     STATE    state of the generator of weights
//   FACTORS  float32, applied to INPUT
//   TABLE    weights of fingerprints, 128 bytes per position, generated on demand

import { Arena, createKernelMemory, sharedBuffer } from "../memory/arena.js";
import { KERNEL_ADDRESSES, reserveAddressSpace } from "../memory/reserve-address-space.js";
import { type VectorKernel, vectorKernel } from "./kernels/vector-kernel.js";

/** Maximum number of components; the number is a multiple of the step. */
export const MAX_COMPONENTS = 65_472;
export const COMPONENT_STEP = 32;

const INPUT = 0;
const OUTPUT = 0x4_0000;
const RESULT = 0x5_0000;
const STATE = RESULT + 64;
const FACTORS = 0x6_0000;
const TABLE = 0xa_0000;
const BYTES_PER_POSITION = 128;
const SEEDS = 4;
const SUMS = 64;

/** The 64 signs as two words. */
export interface Fingerprint {
  readonly low: number;
  readonly high: number;
}

/** Features whose names are represented by numbers. */
interface WeightedNames {
  readonly count: number;
  dimension(index: number): number;
  magnitude(index: number): number;
}

class ScratchBuffers {
  readonly input: Float32Array;
  readonly output: Int8Array;
  readonly #arena: Arena;
  readonly #kernel: VectorKernel;
  readonly #result: Uint32Array;
  readonly #sums: Float64Array;
  readonly #words: Int16Array;
  readonly #factors: Float32Array;
  readonly #state: BigUint64Array;
  /** Seed of the weights in the table, and their number of positions. */
  #seed = 0n;
  #positions = -1;

  constructor() {
    const memory = reserveAddressSpace(
      "a thread that makes vectors",
      KERNEL_ADDRESSES,
      createKernelMemory,
    );
    this.#arena = new Arena(0, memory);
    this.#arena.grow(TABLE / 4);
    const buffer = sharedBuffer(this.#arena.memory);
    this.#kernel = vectorKernel(this.#arena.memory);
    this.input = new Float32Array(buffer, INPUT, MAX_COMPONENTS);
    this.output = new Int8Array(buffer, OUTPUT, MAX_COMPONENTS);
    this.#result = new Uint32Array(buffer, RESULT, 2);
    this.#sums = new Float64Array(buffer, RESULT, 2);
    this.#words = new Int16Array(buffer, INPUT, MAX_COMPONENTS);
    this.#factors = new Float32Array(buffer, FACTORS, MAX_COMPONENTS);
    this.#state = new BigUint64Array(buffer, STATE, 2 * SEEDS);
  }

  /** Returns the largest magnitude in `input`; NaN or infinity if `input` contains it. */
  largest(length: number): number {
    return this.#kernel.largest(INPUT, length);
  }

  /** Quantizes `input` to `output`. */
  quantize(length: number, scale: number): void {
    this.#kernel.quantize(INPUT, length, scale, OUTPUT);
  }

  /**
   * Quantizes components to int16 multiples of a scale. Returns the sums of squares of the
   * quantization errors and of the components.
   */
  widen(components: Float32Array, scale: number): { lost: number; squares: number } {
    this.input.set(components);
    this.#kernel.quantizeWords(INPUT, components.length, scale, INPUT, RESULT);
    return { lost: this.#sums[0]!, squares: this.#sums[1]! };
  }

  /** The int16 components of the last `widen`. */
  words(length: number): Int16Array {
    return this.#words.subarray(0, length);
  }

  /** Subtracts a center from `input`, which is first scaled to norm 1 if `isScaled`. */
  center(center: Float32Array, isScaled: boolean): void {
    const { length } = center;
    const norm = isScaled ? Math.sqrt(this.#kernel.dotFloats(INPUT, INPUT, length)) : 1;
    this.#factors.set(center);
    this.#kernel.center(INPUT, length, norm === 0 ? 1 : 1 / norm, FACTORS);
  }

  /** Multiplies `input` by factors, then applies a Walsh-Hadamard transform to a part of it. */
  reflect(factors: Float32Array, first: number, size: number): void {
    this.#factors.set(factors);
    this.#kernel.multiply(INPUT, factors.length, FACTORS);
    this.#kernel.hadamard(INPUT + first * 4, size);
  }

  /** Writes the signs of `input` to `output`: 1 for positive numbers, else 0. */
  sign(length: number): void {
    this.#kernel.positive(INPUT, length, OUTPUT);
  }

  /** Returns the sum of squares of `output`. */
  squares(length: number): number {
    return this.#kernel.dot(OUTPUT, OUTPUT, length);
  }

  /** Returns the fingerprint of `output`. */
  fingerprint(length: number, seed = 0n): Fingerprint {
    this.#extendTable(length, seed);
    this.#kernel.fingerprint(OUTPUT, length, TABLE, RESULT);
    const [low, high] = this.#result;
    return low === 0 && high === 0 ? ALL_SIGNS : { low: low!, high: high! };
  }

  /**
   * Returns the fingerprint of named features: the signs of 64 sums of their weights, which the
   * bits of the name's hash add or subtract.
   */
  fingerprintFeatures(list: WeightedNames, seed = 0n): Fingerprint {
    const start = this.#kernel.mix(BigInt.asIntN(64, seed));
    const sums = new Int32Array(SUMS);
    for (let index = 0; index < list.count; index++) {
      const hash = this.#kernel.mix(start + BigInt(list.dimension(index)));
      const words = [Number(BigInt.asUintN(32, hash)), Number(BigInt.asUintN(32, hash >> 32n))];
      const weight = list.magnitude(index);
      for (let bit = 0; bit < SUMS; bit++) {
        sums[bit]! += (words[bit >> 5]! >>> (bit & 31)) & 1 ? weight : -weight;
      }
    }
    const word = (from: number): number => {
      let signs = 0;
      for (let bit = from; bit < from + 32; bit++) signs = (signs << 1) | Number(sums[bit]! < 0);
      return signs >>> 0;
    };
    const [high, low] = [word(0), word(32)];
    return low === 0 && high === 0 ? ALL_SIGNS : { low, high };
  }

  /**
   * Returns the 64 weighted sums whose signs are the fingerprint of components, highest bit first.
   */
  sums(components: Int8Array, seed: bigint): Int32Array {
    this.#extendTable(components.length, seed);
    const table = new Int16Array(sharedBuffer(this.#arena.memory), TABLE);
    const sums = new Int32Array(SUMS);
    components.forEach((component, position) => {
      // Two positions share a row, and each group of four bits is stored in reverse.
      const row = (position >> 1) * 2 * SUMS + (position & 1);
      for (let bit = 0; bit < SUMS; bit++) sums[bit]! += component * table[row + 2 * (bit ^ 3)]!;
    });
    return sums;
  }

  /** Extends the table of weights to a number of positions. */
  #extendTable(positions: number, seed: bigint): void {
    if (this.#seed !== seed || this.#positions < 0) {
      for (let index = 0; index < SEEDS; index++) {
        const mixed = this.#kernel.mix(BigInt.asIntN(64, seed + BigInt(index + 1)));
        this.#state[index] = BigInt.asUintN(64, mixed);
        this.#state[SEEDS + index] = BigInt.asUintN(64, this.#kernel.mix(mixed));
      }
      this.#seed = seed;
      this.#positions = 0;
    }
    if (positions <= this.#positions) return;
    const words = (TABLE + positions * BYTES_PER_POSITION) / 4;
    if (words > this.#arena.words.length) this.#arena.grow(words);
    const start = TABLE + this.#positions * BYTES_PER_POSITION;
    this.#kernel.weights(start, positions - this.#positions, STATE);
    this.#positions = positions;
  }
}

const ALL_SIGNS: Fingerprint = { low: 0xffff_ffff, high: 0xffff_ffff };
let buffers: ScratchBuffers | null = null;

/** Returns the buffers of this thread. */
export function scratchBuffers(): ScratchBuffers {
  buffers ??= new ScratchBuffers();
  return buffers;
}
