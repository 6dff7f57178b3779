// One array of 32-bit words that all threads share and that any writer may let grow. It is only
// ever read through views of fixed length: a view that follows the length of a growable buffer is
// 25 times slower. A view made before a growth stays valid for what it covers.
//
// All such memory begins at addresses with the same low bits, and so would the words with the same
// index in all arenas. Processors tell cache lines apart by few of those bits (AMD's Zen takes two
// of them for one line and misses its cache each time), so every arena begins at another offset.

import { CapacityError } from "../model/errors.js";

/** `WebAssembly.Memory`, which no library of ours declares. */
interface KernelMemory {
  readonly buffer: SharedArrayBuffer;
  grow(pages: number): number;
}
interface KernelMemoryClass {
  new (options: { shared: boolean; initial: number; maximum: number }): KernelMemory;
}
interface KernelRuntime {
  readonly Memory: KernelMemoryClass;
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
}
const { Memory, Module, Instance } = (globalThis as unknown as { WebAssembly: KernelRuntime })
  .WebAssembly;

export type ArenaMemory = KernelMemory | SharedArrayBuffer;

const PAGE_BYTES = 65_536;
const MAX_PAGES = 65_536;
const MAX_BYTES = PAGE_BYTES * MAX_PAGES;
/** Memory before the first word of an arena: so many bytes for each arena before it. */
const SKEW_BYTES = 4096 + 64;
const MAX_SKEW_BYTES = 2 * PAGE_BYTES;
/** What a graph may use of any arena, wherever that begins. */
export const MAX_ARENA_WORDS = (MAX_BYTES - MAX_SKEW_BYTES) / 4;
/** Words that every arena has from the beginning. */
export const FIRST_ARENA_WORDS = PAGE_BYTES / 4;
const FIRST_PAGES = (MAX_SKEW_BYTES + FIRST_ARENA_WORDS * 4) / PAGE_BYTES;
/** Growing is cheap, and pages cost nothing before they are touched. */
const MAX_STEP_BYTES = 64 * 1024 * 1024;
const NOTHING = new SharedArrayBuffer(0);

export class Arena {
  readonly id: number;
  memory: ArenaMemory;
  #skewBytes: number;
  words!: Uint32Array;
  /** The same memory, for Atomics and signed values. */
  ints!: Int32Array;

  /** @param reservedBytes of the memory that are no words of the arena, in front of them */
  constructor(id: number, memory: ArenaMemory, reservedBytes = 0) {
    this.id = id;
    this.memory = memory;
    this.#skewBytes = reservedBytes + id * SKEW_BYTES;
    this.refresh();
  }

  /** Where its first word lies in the memory: what kernels count from. */
  get firstByte(): number {
    return this.#skewBytes;
  }

  /** Looks at all of the memory again, after another thread has let it grow. */
  refresh(): void {
    const buffer = bufferOf(this.memory);
    const length = (buffer.byteLength - this.#skewBytes) / 4;
    if (this.words !== undefined && this.words.length === length) return;
    this.#remap(buffer, length);
  }

  /** Goes to other memory, which holds what this one does. */
  move(memory: ArenaMemory): void {
    this.memory = memory;
    const buffer = bufferOf(memory);
    this.#remap(buffer, (buffer.byteLength - this.#skewBytes) / 4);
  }

  /** Copies its first words to where they lie in other memory. */
  copyTo(memory: ArenaMemory, words: number): void {
    const copy = new Arena(this.id, memory, this.#skewBytes - this.id * SKEW_BYTES);
    if (words > copy.words.length) copy.grow(words);
    copy.words.set(this.words.subarray(0, words));
  }

  #remap(buffer: SharedArrayBuffer, length: number): void {
    this.words = new Uint32Array(buffer, this.#skewBytes, length);
    this.ints = new Int32Array(buffer, this.#skewBytes, length);
  }

  /** Gives this thread's hold on the memory back: there is nothing in the arena then. */
  leave(): void {
    this.memory = NOTHING;
    this.#skewBytes = 0;
    this.refresh();
  }

  /** Words that it can hold: a little more than a graph may use. */
  get capacity(): number {
    return (maxBytesOf(this.memory) - this.#skewBytes) / 4;
  }

  /**
   * Lets the arena hold at least so many words. Only the writer, or who loads, may call it.
   * @throws CapacityError above its capacity
   */
  grow(words: number): void {
    const now = bufferOf(this.memory).byteLength;
    const bytes = this.#skewBytes + words * 4;
    const wanted = Math.max(bytes, now + Math.min(MAX_STEP_BYTES, now >>> 2));
    const pages = Math.ceil(Math.min(wanted, maxBytesOf(this.memory)) / PAGE_BYTES);
    if (words > this.capacity) throw graphFullError();
    growBy(this.memory, pages - Math.floor(now / PAGE_BYTES));
    this.refresh();
  }
}

function maxBytesOf(memory: ArenaMemory): number {
  return memory instanceof Memory ? MAX_BYTES : memory.maxByteLength;
}

export function graphFullError(): CapacityError {
  return new CapacityError("graph is full: 4 GiB of one kind of data");
}

/**
 * Memory that WebAssembly kernels can work on; the arcs and vectors lie in such.
 * @param reservedBytes that it has besides; until they are touched they cost nothing
 */
export function kernelMemory(reservedBytes = 0): ArenaMemory {
  const initial = FIRST_PAGES + Math.ceil(reservedBytes / PAGE_BYTES);
  return new Memory({ shared: true, initial, maximum: MAX_PAGES });
}

/**
 * @param words that it has from the beginning; until they are touched they cost nothing
 * @param mostWords that it can have: addresses are reserved for all of them at once
 */
export function plainMemory(
  words = FIRST_ARENA_WORDS,
  mostWords = MAX_ARENA_WORDS,
): SharedArrayBuffer {
  const maxByteLength = Math.ceil((MAX_SKEW_BYTES + mostWords * 4) / PAGE_BYTES) * PAGE_BYTES;
  return new SharedArrayBuffer(MAX_SKEW_BYTES + words * 4, { maxByteLength });
}

function growBy(memory: ArenaMemory, pages: number): void {
  if (pages <= 0) return;
  if (memory instanceof Memory) memory.grow(pages);
  else memory.grow(memory.byteLength + pages * PAGE_BYTES);
}

export function bufferOf(memory: ArenaMemory): SharedArrayBuffer {
  return memory instanceof Memory ? memory.buffer : memory;
}

/** Compiled once a thread. */
const modules = new Map<Uint8Array, object>();

/**
 * The functions of a WebAssembly module over an arena that `kernelMemory` made.
 * @param code imports the memory as `svc.arena`
 */
export function instantiateKernel(code: Uint8Array, arena: ArenaMemory): object {
  const module = modules.get(code) ?? new Module(code);
  modules.set(code, module);
  return new Instance(module, { svc: { arena } }).exports;
}
