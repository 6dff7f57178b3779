// Where this thread makes vectors: memory of its own for the kernels, which nobody else sees. It
// holds one vector at a time, and nothing from one call to the next but the table of weights.
//
//   INPUT    float32 components       OUTPUT   int8 components
//   RESULT   fingerprint              STATE    where the weights go on
//   TABLE    weights of fingerprints, 128 bytes a position, as far as they were needed

import { type VectorKernel, vectorKernel } from "../kernels/vector-kernel.js";
import { Arena, bufferOf, kernelMemory } from "../memory/arena.js";
import { KERNEL_ADDRESSES, reserveAddressSpace } from "../memory/reserve-address-space.js";

/** Components that a vector has at most, and what the number is a multiple of. */
export const MAX_COMPONENTS = 65_472;
export const COMPONENT_STEP = 32;

const INPUT = 0;
const OUTPUT = 0x4_0000;
const RESULT = 0x5_0000;
const STATE = RESULT + 64;
const TABLE = RESULT + 256;
const BYTES_A_POSITION = 128;
const SEEDS = 4;
const SUMS = 64;

/** The sixty-four signs, as two words. */
export interface Fingerprint {
  readonly low: number;
  readonly high: number;
}

/** Features, by a number that stands for each name. */
interface WeightedNames {
  readonly count: number;
  dimension(index: number): number;
  magnitude(index: number): number;
}

class Workbench {
  readonly input: Float32Array;
  readonly output: Int8Array;
  readonly #arena: Arena;
  readonly #kernel: VectorKernel;
  readonly #result: Uint32Array;
  readonly #state: BigUint64Array;
  /** Of which weights the table holds how many. */
  #seed = 0n;
  #positions = -1;

  constructor() {
    const memory = reserveAddressSpace(
      "a thread that makes vectors",
      KERNEL_ADDRESSES,
      kernelMemory,
    );
    this.#arena = new Arena(0, memory);
    this.#arena.grow(TABLE / 4);
    const buffer = bufferOf(this.#arena.memory);
    this.#kernel = vectorKernel(this.#arena.memory);
    this.input = new Float32Array(buffer, INPUT, MAX_COMPONENTS);
    this.output = new Int8Array(buffer, OUTPUT, MAX_COMPONENTS);
    this.#result = new Uint32Array(buffer, RESULT, 2);
    this.#state = new BigUint64Array(buffer, STATE, 2 * SEEDS);
  }

  /** Magnitude of the largest component in `input`; NaN or infinity if there is one. */
  largest(length: number): number {
    return this.#kernel.largest(INPUT, length);
  }

  /** From `input` to `output`. */
  quantise(length: number, scale: number): void {
    this.#kernel.quantise(INPUT, length, scale, OUTPUT);
  }

  /** Sum of the squares of `output`. */
  squares(length: number): number {
    return this.#kernel.dot(OUTPUT, OUTPUT, length);
  }

  /** Of `output`. */
  fingerprint(length: number, seed = 0n): Fingerprint {
    this.#weigh(length, seed);
    this.#kernel.fingerprint(OUTPUT, length, TABLE, RESULT);
    const [low, high] = this.#result;
    return low === 0 && high === 0 ? ALL_SIGNS : { low: low!, high: high! };
  }

  /** Of named features: sums of their weights, with the signs that the hash of each gives. */
  fingerprintOf(list: WeightedNames, seed = 0n): Fingerprint {
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

  /** The 64 weighted sums whose signs are the fingerprint of components, the highest bit first. */
  sums(components: Int8Array, seed: bigint): Int32Array {
    this.#weigh(components.length, seed);
    const table = new Int16Array(bufferOf(this.#arena.memory), TABLE);
    const sums = new Int32Array(SUMS);
    components.forEach((component, position) => {
      // Two positions share a row; in each group of four bits the last is the first.
      const row = (position >> 1) * 2 * SUMS + (position & 1);
      for (let bit = 0; bit < SUMS; bit++) sums[bit]! += component * table[row + 2 * (bit ^ 3)]!;
    });
    return sums;
  }

  /** Lets the table have the weights of so many positions. */
  #weigh(positions: number, seed: bigint): void {
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
    const words = (TABLE + positions * BYTES_A_POSITION) / 4;
    if (words > this.#arena.words.length) this.#arena.grow(words);
    const start = TABLE + this.#positions * BYTES_A_POSITION;
    this.#kernel.weights(start, positions - this.#positions, STATE);
    this.#positions = positions;
  }
}

const ALL_SIGNS: Fingerprint = { low: 0xffff_ffff, high: 0xffff_ffff };
let workbench: Workbench | null = null;

/** The one of this thread. */
export function scratchBuffers(): Workbench {
  workbench ??= new Workbench();
  return workbench;
}
