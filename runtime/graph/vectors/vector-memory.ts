// The arena of vectors as kernels see it, and what this thread's kernels work with: a probe, a list
// of slots, their scores. That lies in front of the arena, in memory that all threads share but
// each has a part of for itself. All objects of one thread use the same part: whoever uses it asks
// for its probe first, and takes out what kernels wrote before it runs anything else.
//
//   part of a thread   word 0: which probe | 64: int16 x length of it | LISTS: addresses, scores

import { type VectorKernel, vectorKernel } from "../kernels/vector-kernel.js";
import { type Arena, bufferOf } from "../memory/arena.js";
import { KERNEL_SCRATCH_BYTES } from "../memory/layout.js";
import { FeatureList } from "./features.js";
import { MAX_COMPONENTS } from "./scratch-buffers.js";
import { hasFeatures, SLOT_WORDS, Slot, strideOf } from "./vector-layout.js";
import { isVectorLength } from "./vector-parts.js";

const PROBE = 64;
const LISTS = PROBE + MAX_COMPONENTS * 2;
/** Slots that one call of a kernel may be about. */
export const MAX_LIST = 4000;

export class VectorMemory {
  readonly #arena: Arena;
  /** First byte of what this thread has for itself. */
  readonly #own: number;
  /** Address of this thread's probe. */
  readonly probe: number;
  /** Address and views of what kernels get and give. */
  readonly lists: number;
  kernel!: VectorKernel;
  list!: Uint32Array;
  scores!: Float32Array;
  #current!: Uint32Array;
  #wide!: Int16Array;
  #words!: Uint32Array;
  #floats!: Float32Array;
  #bytes!: Int8Array;

  /** @param thread number of the calling thread */
  constructor(arena: Arena, thread: number) {
    this.#arena = arena;
    this.#own = thread * KERNEL_SCRATCH_BYTES;
    this.probe = this.#own + PROBE;
    this.lists = this.#own + LISTS;
    this.look();
  }

  /** Binds kernels and views to the memory of the arena, again after that has become another. */
  look(): void {
    const { memory } = this.#arena;
    const buffer = bufferOf(memory);
    this.kernel = vectorKernel(memory);
    this.#current = new Uint32Array(buffer, this.#own, 1);
    this.#wide = new Int16Array(buffer, this.probe, MAX_COMPONENTS);
    this.list = new Uint32Array(buffer, this.lists, 2 * MAX_LIST);
    this.scores = new Float32Array(buffer, this.lists, 2 * MAX_LIST);
    // What a thread of this number has left there before.
    this.#current[0] = 0;
    this.#lookAtWords();
  }

  /** Lets the probe of this thread be these components, unless it is them already. */
  take(serial: number, bytes: Int8Array): void {
    if (this.#current[0] === serial) return;
    this.#wide.set(bytes);
    this.#current[0] = serial;
  }

  /** The words of the arena, as far as this thread knows it. */
  get words(): Uint32Array {
    return this.#arena.words;
  }

  /** The same as float32. */
  get floats(): Float32Array {
    if (this.#words !== this.#arena.words) this.#lookAtWords();
    return this.#floats;
  }

  /** The same as int8. */
  get bytes(): Int8Array {
    if (this.#words !== this.#arena.words) this.#lookAtWords();
    return this.#bytes;
  }

  /** Address of a word. */
  addressOf(word: number): number {
    return this.#arena.firstByte + word * 4;
  }

  /** Word at an address. */
  wordAt(address: number): number {
    return (address - this.#arena.firstByte) / 4;
  }

  /** Components of the vector in a slot; 0 if there is no such slot in the words of this thread. */
  lengthIn(slot: number): number {
    const { words } = this.#arena;
    if (slot === 0 || slot + SLOT_WORDS > words.length) return 0;
    const length = words[slot + Slot.Length]!;
    return isVectorLength(length) && slot + strideOf(length) <= words.length ? length : 0;
  }

  /** Named features in a slot, as they are at this moment; null if it has none. */
  featuresIn(slot: number): FeatureList | null {
    const { words } = this.#arena;
    if (slot === 0 || slot + SLOT_WORDS > words.length) return null;
    const length = words[slot + Slot.Length]!;
    const end = slot + strideOf(length);
    const isThere = hasFeatures(length) && end <= words.length;
    return isThere ? new FeatureList(words, slot + SLOT_WORDS, end) : null;
  }

  #lookAtWords(): void {
    const { words } = this.#arena;
    this.#words = words;
    this.#floats = new Float32Array(words.buffer, words.byteOffset, words.length);
    this.#bytes = new Int8Array(words.buffer, words.byteOffset, words.byteLength);
  }
}
