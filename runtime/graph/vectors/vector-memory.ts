// The vector arena as addressed by kernels, with this thread's kernel buffers: a probe, a list of
// slots, and scores. The buffers precede the arena in shared memory, one section per thread. All
// objects of a thread share its section, so a caller loads its probe first and reads the results
// before other code runs.
//
//   section of a thread word 0: serial of the probe | 64: int16 x length | LISTS: addresses, scores
//   its exact section   float32 x EXACT_CHUNK of the probe | of a float16 vector
//   its walk            state of hnsw-walk.ts | {score, address} of results and slots to visit
//
// The exact sections follow the sections of all threads; the walks are last. Words 1 and 2 of a
// section are the serial of the exact probe and the first component of the loaded chunk.

import { type Arena, isKernelMemory, sharedBuffer } from "../memory/arena.js";
import {
  EXACT_SCRATCH_BYTES,
  KERNEL_SCRATCH_BYTES,
  KERNEL_THREADS,
  WALK_SCRATCH_BYTES,
} from "../memory/layout.js";
import { FeatureList } from "./features.js";
import { type VectorKernel, vectorKernel } from "./kernels/vector-kernel.js";
import { type DotKernel, plainKernel } from "./plain-kernel.js";
import { computeRowWords, hasExactRow } from "./precision.js";
import { MAX_COMPONENTS } from "./scratch-buffers.js";
import {
  computeStride,
  countComponents,
  findTail,
  hasBits,
  hasFeatures,
  readPrecision,
  SLOT_WORDS,
  Slot,
  Tail,
} from "./vector-layout.js";
import { isVectorLength } from "./vector-parts.js";

const PROBE = 64;
const LISTS = PROBE + MAX_COMPONENTS * 2;
/** Maximum number of exact components in a kernel call. */
export const EXACT_CHUNK = EXACT_SCRATCH_BYTES / 8;
/** Maximum number of slots in a kernel call. */
export const MAX_LIST = 4000;
/** Words of the state of a walk, and maximum number of entries; kernels write one more. */
export const STATE_WORDS = 16;
export const WALK_ENTRIES = WALK_SCRATCH_BYTES / 8 - STATE_WORDS / 2 - 1;

export class VectorMemory {
  readonly #arena: Arena;
  /** First byte of this thread's section. */
  readonly #section: number;
  /** Address of this thread's probe. */
  readonly probe: number;
  /** Address of the input and output of kernels. */
  readonly lists: number;
  /** Addresses of a chunk of the probe's float32 components, and of a float16 vector's. */
  readonly exactProbe: number;
  readonly widened: number;
  /** Address of this thread's walk, and its words. */
  readonly walk: number;
  walkWords!: Uint32Array;
  walkFloats!: Float32Array;
  /** Null while kernels cannot address the vectors. */
  kernel!: VectorKernel | null;
  /** Kernels for single vectors, which are always available. */
  dots!: DotKernel;
  list!: Uint32Array;
  scores!: Float32Array;
  /** The scores as float64, at most `MAX_LIST / 2`. */
  sums!: Float64Array;
  #loaded!: Uint32Array;
  #wide!: Int16Array;
  #exact!: Float32Array;
  #words!: Uint32Array;
  #floats!: Float32Array;
  #doubles!: Float64Array;
  #bytes!: Int8Array;

  /** @param thread number of the calling thread */
  constructor(arena: Arena, thread: number) {
    this.#arena = arena;
    this.#section = thread * KERNEL_SCRATCH_BYTES;
    this.probe = this.#section + PROBE;
    this.lists = this.#section + LISTS;
    this.exactProbe = KERNEL_THREADS * KERNEL_SCRATCH_BYTES + thread * EXACT_SCRATCH_BYTES;
    this.widened = this.exactProbe + EXACT_SCRATCH_BYTES / 2;
    const walks = KERNEL_THREADS * (KERNEL_SCRATCH_BYTES + EXACT_SCRATCH_BYTES);
    this.walk = walks + thread * WALK_SCRATCH_BYTES;
    this.refresh();
  }

  /** Binds kernels and views to the arena's current memory. */
  refresh(): void {
    const { memory } = this.#arena;
    const buffer = sharedBuffer(memory);
    this.kernel = isKernelMemory(memory) ? vectorKernel(memory) : null;
    this.dots = this.kernel ?? plainKernel(buffer);
    this.#loaded = new Uint32Array(buffer, this.#section, 3);
    this.#wide = new Int16Array(buffer, this.probe, MAX_COMPONENTS);
    this.#exact = new Float32Array(buffer, this.exactProbe, EXACT_CHUNK);
    this.list = new Uint32Array(buffer, this.lists, 2 * MAX_LIST);
    this.scores = new Float32Array(buffer, this.lists, 2 * MAX_LIST);
    this.sums = new Float64Array(buffer, this.lists + MAX_LIST * 4, MAX_LIST / 2);
    this.walkWords = new Uint32Array(buffer, this.walk, WALK_SCRATCH_BYTES / 4);
    this.walkFloats = new Float32Array(buffer, this.walk, WALK_SCRATCH_BYTES / 4);
    // An earlier thread with the same number may have left a probe.
    this.#loaded.fill(0);
    this.#refreshViews();
  }

  /** Returns whether the loaded probe has a serial. */
  hasProbe(serial: number): boolean {
    return this.#loaded[0] === serial;
  }

  /** Loads the components of a probe unless they are loaded. */
  loadProbe(serial: number, components: Int8Array | Int16Array): void {
    if (this.hasProbe(serial)) return;
    this.#wide.set(components);
    this.#loaded[0] = serial;
  }

  /** Loads a chunk of exact components of a probe, from `first` on, unless it is loaded. */
  loadExact(serial: number, components: Float32Array, first: number): void {
    if (this.#loaded[1] === serial && this.#loaded[2] === first) return;
    this.#exact.set(components.subarray(first, first + EXACT_CHUNK));
    this.#loaded[1] = serial;
    this.#loaded[2] = first;
  }

  /** Converts float16 components to float32; returns their address. */
  widen(from: number, count: number, unit: number): number {
    this.dots.widenHalves(from, count, unit, this.widened);
    return this.widened;
  }

  /** The words of the arena, as far as this thread's view reaches. */
  get words(): Uint32Array {
    return this.#arena.words;
  }

  /** The same memory as float32. */
  get floats(): Float32Array {
    if (this.#words !== this.#arena.words) this.#refreshViews();
    return this.#floats;
  }

  /** The same memory as float64. */
  get doubles(): Float64Array {
    if (this.#words !== this.#arena.words) this.#refreshViews();
    return this.#doubles;
  }

  /** The same memory as int8. */
  get bytes(): Int8Array {
    if (this.#words !== this.#arena.words) this.#refreshViews();
    return this.#bytes;
  }

  /** Returns the address of a word. */
  addressOf(word: number): number {
    return this.#arena.firstByte + word * 4;
  }

  /** Returns the word at an address. */
  wordAt(address: number): number {
    return (address - this.#arena.firstByte) / 4;
  }

  /**
   * Returns the length word of a slot; 0 if the slot or its row is outside this thread's view, or
   * if it contains features.
   */
  lengthIn(slot: number): number {
    const { words } = this.#arena;
    if (slot === 0 || slot + SLOT_WORDS > words.length) return 0;
    const length = words[slot + Slot.Length]!;
    // Most frequent: an int8 vector, whose length word is the number of components.
    if (isVectorLength(length)) return slot + computeStride(length) <= words.length ? length : 0;
    if (hasBits(length)) return this.#checkBits(slot, length);
    const components = countComponents(length);
    const precision = readPrecision(length);
    if (!hasExactRow(precision) || !isVectorLength(components)) return 0;
    if (slot % 4 !== 0 || slot + computeStride(length) > words.length) return 0;
    const row = words[findTail(slot, components) + Tail.Row]!;
    return row + computeRowWords(components, precision) <= words.length ? length : 0;
  }

  #checkBits(slot: number, length: number): number {
    const isValid = slot + computeStride(length) <= this.#arena.words.length;
    return isValid && isVectorLength(countComponents(length)) ? length : 0;
  }

  /** Returns the features in a slot; null if the slot is invalid or contains numbers. */
  featuresIn(slot: number): FeatureList | null {
    const { words } = this.#arena;
    if (slot === 0 || slot + SLOT_WORDS > words.length) return null;
    const length = words[slot + Slot.Length]!;
    const end = slot + computeStride(length);
    const isValid = hasFeatures(length) && end <= words.length;
    return isValid ? new FeatureList(words, slot + SLOT_WORDS, end) : null;
  }

  #refreshViews(): void {
    const { words } = this.#arena;
    this.#words = words;
    this.#floats = new Float32Array(words.buffer, words.byteOffset, words.length);
    const { buffer, byteOffset, length } = words;
    this.#doubles = new Float64Array(buffer, byteOffset, Math.floor(length / 2));
    this.#bytes = new Int8Array(words.buffer, words.byteOffset, words.byteLength);
  }
}
