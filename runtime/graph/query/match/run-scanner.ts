// Reads the arcs of one vertex side while others write: every answer is one that was true at one
// moment. See memory/reader.ts for how; scripts/arc-kernels.mjs writes the loops.

import type { Arena, ArenaMemory } from "../../memory/arena.js";
import { ARC_WORDS, SEQUENCE_WORDS, SIDE_WORDS, Side } from "../../memory/layout.js";
import type { SeqlockReader } from "../../memory/seqlock-reader.js";
import type { SideNumber } from "../../memory/writer.js";
import type { ArcRuns } from "../../store/arc-runs.js";
import type { GraphStore } from "../../store/graph-store.js";
import { copyArcs, copyPlaces, countArcs } from "./.generated/arc-kernels.js";
import type { ArcStack } from "./arc-stack.js";
import { type ArcTest, ArcTestKind } from "./arc-test.js";
import { HIGH_DEGREE_ARCS, type HubKernel, hubKernel } from "./hub-kernel.js";

/** The run lies, or seems to lie, beyond this thread's views. */
const UNREADABLE = -1;
/** Vertices whose runs are fetched at once: as many misses as a core keeps in flight. */
const GROUP = 16;
/** All arcs, in the place of a limit. */
export const ALL_ARCS = 0x3fff_ffff;

export class RunScanner {
  readonly side: SideNumber;
  readonly #runs: ArcRuns;
  readonly #sides: Arena;
  readonly #arcs: Arena;
  readonly #reader: SeqlockReader;
  readonly #sequence: Arena;
  #hub: HubKernel | null = null;
  /** The memory that it is bound to. */
  #hubOf: ArenaMemory | null = null;
  /** First word of the run that was looked at last, and its arcs. */
  #run = 0;
  #length = 0;
  /** Nobody needs it, but what nobody could see would not be read. */
  fetched = 0;

  constructor(reader: SeqlockReader, runs: ArcRuns, sequence: Arena) {
    this.side = runs.side;
    this.#runs = runs;
    this.#sides = runs.sides;
    this.#arcs = runs.arcs;
    this.#reader = reader;
    this.#sequence = sequence;
  }

  /** Number of arcs that pass. */
  count(vertex: number, test: ArcTest): number {
    if (test.kind === ArcTestKind.Nothing) return 0;
    for (let attempt = 0; ; attempt++) {
      const seen = this.#reader.enter(this.side, vertex, attempt);
      const isFound = this.#find(vertex, attempt);
      const count = isFound ? this.#count(test, this.#run, this.#length) : UNREADABLE;
      if (this.#reader.leave(this.side, vertex, seen) && count !== UNREADABLE) return count;
    }
  }

  /**
   * Number of arcs that pass, of many vertices: every `stride`-th word of `handles`. The same as
   * `count` for each, but memory is fetched for some of them at once, and the protocol is spelled
   * out: twice as fast.
   */
  countEach(
    handles: Uint32Array,
    from: number,
    end: number,
    stride: number,
    test: ArcTest,
  ): number {
    let total = 0;
    if (test.kind !== ArcTestKind.Key && test.kind !== ArcTestKind.Range) {
      for (let at = from; at < end; at += stride) total += this.count(handles[at]!, test);
      return total;
    }
    const group = GROUP * stride;
    for (let begin = from; begin < end; begin += group) {
      const stop = Math.min(begin + group, end);
      this.#fetch(handles, begin, stop, stride);
      for (let at = begin; at < stop; at += stride) {
        const count = this.#countOnce(handles[at]!, test);
        total += count === UNREADABLE ? this.count(handles[at]!, test) : count;
      }
    }
    return total;
  }

  /** Reads a word of the runs of some vertices, so that waiting for them overlaps. */
  #fetch(handles: Uint32Array, from: number, end: number, stride: number): void {
    const sides = this.#sides.words;
    const arcs = this.#arcs.words;
    let words = 0;
    for (let at = from; at < end; at += stride) {
      const side = handles[at]! * SIDE_WORDS;
      const run = side < sides.length ? sides[side + Side.Pointer]! : 0;
      if (run < arcs.length) words ^= arcs[run]!;
    }
    this.fetched = words;
  }

  /** One attempt at a run by key or range; `UNREADABLE` unless it succeeds. */
  #countOnce(vertex: number, test: ArcTest): number {
    const sequence = this.#sequence.ints;
    const sides = this.#sides.words;
    const arcs = this.#arcs.words;
    const place = vertex * SEQUENCE_WORDS + this.side;
    const side = vertex * SIDE_WORDS;
    if (place >= sequence.length || side >= sides.length) return UNREADABLE;
    const seen = Atomics.load(sequence, place);
    const run = sides[side + Side.Pointer]!;
    const length = run === 0 ? 0 : sides[side + Side.Degree]!;
    if ((seen & 1) === 1 || run + length * ARC_WORDS > arcs.length) return UNREADABLE;
    const count = this.#count(test, run, length);
    this.#reader.fence();
    return Atomics.load(sequence, place) === seen ? count : UNREADABLE;
  }

  /** Copies arcs that pass to the stack, at most `limit`; returns how many. */
  select(vertex: number, test: ArcTest, stack: ArcStack, limit: number): number {
    if (test.kind === ArcTestKind.Nothing) return 0;
    const { top } = stack;
    for (let attempt = 0; ; attempt++) {
      const seen = this.#reader.enter(this.side, vertex, attempt);
      const isFound = this.#find(vertex, attempt);
      const wanted = Math.min(this.#length, limit);
      const hasRoom = isFound && stack.hasRoom(wanted);
      if (hasRoom) this.#copy(test, stack, limit);
      const isValid = this.#reader.leave(this.side, vertex, seen);
      if (isValid && hasRoom) return (stack.top - top) / ARC_WORDS;
      stack.top = top;
      // Memory is only taken for lengths that are real, and never under the lock.
      if (isValid && isFound) stack.reserve(wanted);
    }
  }

  /** Copies the arcs between a vertex and another that pass to the stack; returns how many. */
  selectTo(vertex: number, other: number, test: ArcTest, stack: ArcStack): number {
    const { top } = stack;
    for (let attempt = 0; ; attempt++) {
      const seen = this.#reader.enter(this.side, vertex, attempt);
      const isFound = this.#find(vertex, attempt);
      const isReadable = isFound && (this.#length === 0 || this.#runs.covers(vertex));
      const hasArcs = isReadable && this.#length > 0;
      const positions = hasArcs ? this.#runs.findAll(vertex, other, test.relationship) : [];
      const hasRoom = isReadable && stack.hasRoom(positions.length);
      if (hasRoom) copyPlaces(test, this.#arcs.words, this.#run, positions, stack);
      const isValid = this.#reader.leave(this.side, vertex, seen);
      if (isValid && hasRoom) return (stack.top - top) / ARC_WORDS;
      stack.top = top;
      if (isValid && isReadable) stack.reserve(positions.length);
    }
  }

  /** Arcs of the run that was looked at last, whether they passed or not. */
  get visited(): number {
    return this.#length;
  }

  /** Finds the run of a vertex; false if it cannot be read with the views of this thread. */
  #find(vertex: number, attempt: number): boolean {
    const { words } = this.#sides;
    const at = vertex * SIDE_WORDS;
    if (at >= words.length) {
      this.#length = 0;
      // After the first attempt the views are new: there is no such vertex.
      return attempt > 0;
    }
    const run = words[at + Side.Pointer]!;
    const degree = words[at + Side.Degree]!;
    this.#run = run;
    // The terminal of forward-only arcs has a degree without a run.
    this.#length = run === 0 ? 0 : degree;
    return run + this.#length * ARC_WORDS <= this.#arcs.words.length;
  }

  #count(test: ArcTest, run: number, length: number): number {
    const { kind } = test;
    const { words } = this.#arcs;
    const end = run + length * ARC_WORDS;
    const isHub =
      length >= HIGH_DEGREE_ARCS && (kind === ArcTestKind.Key || kind === ArcTestKind.Range);
    if (!isHub) return countArcs(test, words, run, end);
    const arcs = length - (length & 3);
    const count = this.#countHub(test, words.byteOffset + run * 4, arcs);
    return count + countArcs(test, words, run + arcs * ARC_WORDS, end);
  }

  #countHub(test: ArcTest, firstByte: number, arcs: number): number {
    const hub = this.#hubKernel();
    const { mask, want, flip, fold, low, high } = test;
    if (test.kind === ArcTestKind.Key) return hub.countKeys(firstByte, arcs, mask, want);
    return hub.countRange(firstByte, arcs, mask, want, flip, fold, low, high);
  }

  #hubKernel(): HubKernel {
    const { memory } = this.#arcs;
    if (this.#hub !== null && this.#hubOf === memory) return this.#hub;
    this.#hubOf = memory;
    this.#hub = hubKernel(memory);
    return this.#hub;
  }

  #copy(test: ArcTest, stack: ArcStack, limit: number): void {
    const from = this.#run;
    const end = from + this.#length * ARC_WORDS;
    copyArcs(test, this.#arcs.words, from, end, stack, stack.top + limit * ARC_WORDS);
  }
}

export interface Scanners {
  readonly outArcs: RunScanner;
  readonly inArcs: RunScanner;
}

const scanners = new WeakMap<GraphStore, Scanners>();

/** Those of a store, for all its queries. */
export function scannersOf(store: GraphStore): Scanners {
  let known = scanners.get(store);
  if (known === undefined) {
    const { reader, outArcs, inArcs, memory } = store;
    known = {
      outArcs: new RunScanner(reader, outArcs, memory.sequence),
      inArcs: new RunScanner(reader, inArcs, memory.sequence),
    };
    scanners.set(store, known);
  }
  return known;
}
