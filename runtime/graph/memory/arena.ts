// A growable array of 32-bit words in memory shared by all threads. It is read only through views
// of fixed length: a length-tracking view of a growable buffer is 25 times slower. A view created
// before a growth stays valid for the words it covers.
//
// The engine aligns all shared memory equally, so words with the same index in all arenas would
// compete for the same cache sets (on AMD Zen, lines that alias in the way predictor miss every
// time). Each arena therefore starts at a different offset.

import { CapacityError } from "../model/errors.js";

/** The part of `WebAssembly.Memory` used here; the configured libs do not declare it. */
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
/** Bytes in front of the first word, per preceding arena. */
const SKEW_BYTES = 4096 + 64;
const MAX_SKEW_BYTES = 2 * PAGE_BYTES;
/** Maximum words of an arena that a graph may use, whatever its skew. */
export const MAX_ARENA_WORDS = (MAX_BYTES - MAX_SKEW_BYTES) / 4;
/** Initial words of every arena. */
export const FIRST_ARENA_WORDS = PAGE_BYTES / 4;
const FIRST_PAGES = (MAX_SKEW_BYTES + FIRST_ARENA_WORDS * 4) / PAGE_BYTES;
/** Growth per step is bounded: growing is cheap, and untouched pages cost nothing. */
const MAX_STEP_BYTES = 64 * 1024 * 1024;
const EMPTY_MEMORY = new SharedArrayBuffer(0);

/** Free words that no block covers; see free-space.ts. */
export interface Hole {
  readonly start: number;
  readonly words: number;
}

export class Arena {
  readonly id: number;
  memory: ArenaMemory;
  #skewBytes: number;
  words!: Uint32Array;
  /** The same memory, for Atomics and signed values. */
  ints!: Int32Array;

  /** @param reservedBytes bytes in front of the arena that do not belong to it */
  constructor(id: number, memory: ArenaMemory, reservedBytes = 0) {
    this.id = id;
    this.memory = memory;
    this.#skewBytes = reservedBytes + id * SKEW_BYTES;
    this.refresh();
  }

  /** Byte offset of the first word in the memory; WebAssembly kernels need it. */
  get firstByte(): number {
    return this.#skewBytes;
  }

  /** Recreates the views if another thread has grown the memory. */
  refresh(): void {
    const buffer = sharedBuffer(this.memory);
    const length = (buffer.byteLength - this.#skewBytes) / 4;
    if (this.words !== undefined && this.words.length === length) return;
    this.#remap(buffer, length);
  }

  /** Switches to another memory with the same content. */
  move(memory: ArenaMemory): void {
    this.memory = memory;
    const buffer = sharedBuffer(memory);
    this.#remap(buffer, (buffer.byteLength - this.#skewBytes) / 4);
  }

  /**
   * Copies the first `words` words to another, new memory of the same arena.
   * @param holes in ascending order; only the first two words of each are copied
   */
  copyTo(memory: ArenaMemory, words: number, holes: readonly Hole[] = []): void {
    const copy = new Arena(this.id, memory, this.#skewBytes - this.id * SKEW_BYTES);
    if (words > copy.words.length) copy.grow(words);
    let from = 0;
    for (const hole of holes) {
      copy.words.set(this.words.subarray(from, hole.start + 2), from);
      from = hole.start + hole.words;
    }
    copy.words.set(this.words.subarray(from, words), from);
  }

  #remap(buffer: SharedArrayBuffer, length: number): void {
    this.words = new Uint32Array(buffer, this.#skewBytes, length);
    this.ints = new Int32Array(buffer, this.#skewBytes, length);
  }

  /** Drops this thread's reference to the memory and leaves the arena empty. */
  leave(): void {
    this.memory = EMPTY_MEMORY;
    this.#skewBytes = 0;
    this.refresh();
  }

  /** Maximum words of the memory, slightly more than a graph may use. */
  get capacity(): number {
    return (maxMemoryBytes(this.memory) - this.#skewBytes) / 4;
  }

  /**
   * Grows the arena to at least `words` words. Only the writer and the loader may call it.
   * @throws CapacityError if `words` exceeds the capacity
   */
  grow(words: number): void {
    const now = sharedBuffer(this.memory).byteLength;
    const bytes = this.#skewBytes + words * 4;
    const nextBytes = Math.max(bytes, now + Math.min(MAX_STEP_BYTES, now >>> 2));
    const pages = Math.ceil(Math.min(nextBytes, maxMemoryBytes(this.memory)) / PAGE_BYTES);
    if (words > this.capacity) throw graphFullError(maxMemoryBytes(this.memory));
    growBy(this.memory, pages - Math.floor(now / PAGE_BYTES));
    this.refresh();
  }
}

function maxMemoryBytes(memory: ArenaMemory): number {
  return memory instanceof Memory ? MAX_BYTES : memory.maxByteLength;
}

/** @param bytes size that an arena cannot exceed */
export function graphFullError(bytes = MAX_BYTES): CapacityError {
  if (bytes >= MAX_BYTES) return new CapacityError("graph is full: one arena reached 4 GiB");
  const reached = `one arena reached ${Math.floor(bytes / 2 ** 20)} MiB`;
  return new CapacityError(`graph is full: ${reached}; open it with memory "large"`);
}

/** Returns whether WebAssembly kernels can address a memory. */
export function isKernelMemory(memory: ArenaMemory): boolean {
  return memory instanceof Memory;
}

/**
 * Returns memory that WebAssembly kernels can address; arcs and vectors use it.
 * @param reservedBytes additional bytes; untouched pages cost nothing
 */
export function createKernelMemory(reservedBytes = 0): ArenaMemory {
  const initial = FIRST_PAGES + Math.ceil(reservedBytes / PAGE_BYTES);
  return new Memory({ shared: true, initial, maximum: MAX_PAGES });
}

/**
 * Returns growable memory for an arena.
 * @param words initial words; untouched pages cost nothing
 * @param mostWords maximum words; address space is reserved for all of them at once
 */
export function createPlainMemory(
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

export function sharedBuffer(memory: ArenaMemory): SharedArrayBuffer {
  return memory instanceof Memory ? memory.buffer : memory;
}

/** Compiled modules of this thread. */
const modules = new Map<Uint8Array, object>();

/**
 * Returns the exports of a WebAssembly module instantiated over an arena of `createKernelMemory`.
 * @param code module that imports the memory as `svc.arena`
 */
export function instantiateKernel(code: Uint8Array, arena: ArenaMemory): object {
  const module = modules.get(code) ?? new Module(code);
  modules.set(code, module);
  return new Instance(module, { svc: { arena } }).exports;
}
