// Seqlock reader for the arcs of one vertex side: every result was true at one moment, without
// locks. The protocol is in memory/seqlock-reader.ts; scripts/arc-kernels.mjs generates the loops.

import { type Arena, type ArenaMemory, isKernelMemory } from "../../memory/arena.js";
import { ARC_WORDS, SEQUENCE_WORDS, SIDE_WORDS, Side } from "../../memory/layout.js";
import type { SeqlockReader } from "../../memory/seqlock-reader.js";
import type { SideNumber } from "../../memory/writer.js";
import type { ArcRuns } from "../../store/arc-runs.js";
import type { GraphStore } from "../../store/graph-store.js";
import { copyArcs, copyPlaces, countArcs, countDistinctHeads } from "./.generated/arc-kernels.js";
import type { ArcStack } from "./arc-stack.js";
import { type ArcTest, ArcTestKind } from "./arc-test.js";
import { BestArcs, type BestValues } from "./best-values.js";
import { HIGH_DEGREE_ARCS, type HubKernel, hubKernel } from "./hub-kernel.js";

/** The run lies, or appears to lie, beyond this thread's views. */
const UNREADABLE = -1;
/** Vertices prefetched together: about the cache misses that a core can overlap. */
export const GROUP = 16;
/** Up to this number of arcs, all are compared instead of looked up. */
const FEW_ARCS = 16;
/** No limit. */
export const ALL_ARCS = 0x3fff_ffff;

export class RunScanner {
  readonly side: SideNumber;
  readonly #runs: ArcRuns;
  readonly #sides: Arena;
  readonly #arcs: Arena;
  readonly #reader: SeqlockReader;
  readonly #sequence: Arena;
  #hub: HubKernel | null = null;
  /** Memory that the hub kernel is bound to. */
  #hubOf: ArenaMemory | null = null;
  /** First word of the run read last, and its number of arcs. */
  #run = 0;
  #length = 0;
  readonly #best = new BestArcs();
  /** Passing arcs that the last `select` left out, because they cannot be among the best. */
  omitted = 0;
  /** Public so that the prefetching reads are not optimized away. */
  fetched = 0;

  constructor(reader: SeqlockReader, runs: ArcRuns, sequence: Arena) {
    this.side = runs.side;
    this.#runs = runs;
    this.#sides = runs.sides;
    this.#arcs = runs.arcs;
    this.#reader = reader;
    this.#sequence = sequence;
  }

  /** Returns the number of arcs that pass. */
  count(vertex: number, test: ArcTest): number {
    if (test.kind === ArcTestKind.Nothing) return 0;
    for (let attempt = 0; ; attempt++) {
      const seen = this.#reader.enter(this.side, vertex, attempt);
      const isFound = this.#find(vertex, attempt);
      const count = isFound ? this.#count(test, this.#run, this.#length) : UNREADABLE;
      if (this.#reader.leave(this.side, vertex, seen) && count !== UNREADABLE) return count;
    }
  }

  /** As `count`; -1 if some of the arcs that pass may have the same head. */
  countHeads(vertex: number, test: ArcTest): number {
    if (test.kind === ArcTestKind.Nothing) return 0;
    for (let attempt = 0; ; attempt++) {
      const seen = this.#reader.enter(this.side, vertex, attempt);
      const isFound = this.#find(vertex, attempt);
      const end = this.#run + this.#length * ARC_WORDS;
      const count = isFound ? countDistinctHeads(test, this.#arcs.words, this.#run, end) : 0;
      if (this.#reader.leave(this.side, vertex, seen) && isFound) return count;
    }
  }

  /**
   * Returns the total of `count` over every `stride`-th word of `handles`. Prefetching and an
   * inlined seqlock make it twice as fast as single calls.
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
      this.fetch(handles, begin, stop, stride);
      for (let at = begin; at < stop; at += stride) {
        const count = this.#countOnce(handles[at]!, test);
        total += count === UNREADABLE ? this.count(handles[at]!, test) : count;
      }
    }
    return total;
  }

  /** Reads a word of each run, so that the cache misses overlap. */
  fetch(handles: Uint32Array, from: number, end: number, stride: number): void {
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

  /** One attempt to count a run by key or range; `UNREADABLE` if it fails. */
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

  /**
   * Pushes at most `limit` passing arcs onto the stack; returns their number.
   * @param best if not null, arcs that cannot be among these may be left out
   */
  select(
    vertex: number,
    test: ArcTest,
    stack: ArcStack,
    limit: number,
    best: BestValues | null = null,
  ): number {
    this.omitted = 0;
    if (test.kind === ArcTestKind.Nothing) return 0;
    const { top } = stack;
    for (let attempt = 0; ; attempt++) {
      const seen = this.#reader.enter(this.side, vertex, attempt);
      const isFound = this.#find(vertex, attempt);
      const maxArcs = Math.min(this.#length, limit);
      const hasRoom = isFound && stack.hasRoom(maxArcs);
      if (hasRoom && !this.#copyBest(test, stack, best)) this.#copy(test, stack, limit);
      const isValid = this.#reader.leave(this.side, vertex, seen);
      if (isValid && hasRoom) return (stack.top - top) / ARC_WORDS;
      stack.top = top;
      // Memory is reserved only for validated lengths, and never under the lock.
      if (isValid && isFound) stack.reserve(maxArcs);
    }
  }

  /** Pushes the passing arcs between two vertices onto the stack; returns their number. */
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

  /** Returns whether a passing arc connects two vertices. */
  hasArcTo(vertex: number, other: number, test: ArcTest): boolean {
    for (let attempt = 0; ; attempt++) {
      const seen = this.#reader.enter(this.side, vertex, attempt);
      const isFound = this.#find(vertex, attempt);
      const isReadable = isFound && (this.#length === 0 || this.#runs.covers(vertex));
      const isMatched = isReadable && this.#hasArcTo(vertex, other, test);
      if (this.#reader.leave(this.side, vertex, seen) && isReadable) return isMatched;
    }
  }

  #hasArcTo(vertex: number, other: number, test: ArcTest): boolean {
    const { words } = this.#arcs;
    const run = this.#run;
    if (this.#length > FEW_ARCS) {
      for (const position of this.#runs.findAll(vertex, other, test.relationship)) {
        const arc = run + position * ARC_WORDS;
        if (test.matches(words[arc + 1]!, words[arc + 2]!)) return true;
      }
      return false;
    }
    const end = run + this.#length * ARC_WORDS;
    for (let arc = run; arc < end; arc += ARC_WORDS) {
      if (words[arc] === other && test.matches(words[arc + 1]!, words[arc + 2]!)) return true;
    }
    return false;
  }

  /** Number of arcs of the run read last, whether they passed or not. */
  get visited(): number {
    return this.#length;
  }

  /** Locates the run of a vertex; false if this thread's views do not reach it. */
  #find(vertex: number, attempt: number): boolean {
    const { words } = this.#sides;
    const at = vertex * SIDE_WORDS;
    if (at >= words.length) {
      this.#length = 0;
      // Views are refreshed after the first attempt, so the vertex does not exist.
      return attempt > 0;
    }
    const run = words[at + Side.Pointer]!;
    const degree = words[at + Side.Degree]!;
    this.#run = run;
    // The terminal of a forward-only arc has a degree but no run.
    this.#length = run === 0 ? 0 : degree;
    return run + this.#length * ARC_WORDS <= this.#arcs.words.length;
  }

  #count(test: ArcTest, run: number, length: number): number {
    const { kind } = test;
    const { words } = this.#arcs;
    const end = run + length * ARC_WORDS;
    const isHub =
      length >= HIGH_DEGREE_ARCS && (kind === ArcTestKind.Key || kind === ArcTestKind.Range);
    const hub = isHub ? this.#hubKernel() : null;
    if (hub === null) return countArcs(test, words, run, end);
    const arcs = length - (length & 3);
    const count = countHub(hub, test, words.byteOffset + run * 4, arcs);
    return count + countArcs(test, words, run + arcs * ARC_WORDS, end);
  }

  /** Returns null while kernels cannot address the arcs. */
  #hubKernel(): HubKernel | null {
    const { memory } = this.#arcs;
    if (this.#hubOf === memory) return this.#hub;
    this.#hubOf = memory;
    this.#hub = isKernelMemory(memory) ? hubKernel(memory) : null;
    if (this.#hub === null) this.#runs.requestKernelMemory();
    return this.#hub;
  }

  /** Copies the arcs that may be among the best; false if that is not known. */
  #copyBest(test: ArcTest, stack: ArcStack, best: BestValues | null): boolean {
    this.omitted = 0;
    const { words } = this.#arcs;
    const run = this.#run;
    const length = this.#length;
    const narrowed = this.#best;
    if (best === null || !narrowed.narrow(test, words, run, length, best)) return false;
    const passing = this.#count(test, run, length);
    // Values of different modifiers have no common order of keys.
    if (this.#count(narrowed.alike, run, length) !== passing) return false;
    const { top } = stack;
    const end = run + length * ARC_WORDS;
    copyArcs(narrowed.best, words, run, end, stack, Number.MAX_SAFE_INTEGER);
    this.omitted = passing - (stack.top - top) / ARC_WORDS;
    return true;
  }

  #copy(test: ArcTest, stack: ArcStack, limit: number): void {
    const from = this.#run;
    const end = from + this.#length * ARC_WORDS;
    copyArcs(test, this.#arcs.words, from, end, stack, stack.top + limit * ARC_WORDS);
  }
}

function countHub(hub: HubKernel, test: ArcTest, firstByte: number, arcs: number): number {
  const { mask, want, flip, fold, low, high } = test;
  if (test.kind === ArcTestKind.Key) return hub.countKeys(firstByte, arcs, mask, want);
  return hub.countRange(firstByte, arcs, mask, want, flip, fold, low, high);
}

export interface Scanners {
  readonly outArcs: RunScanner;
  readonly inArcs: RunScanner;
}

const scanners = new WeakMap<GraphStore, Scanners>();

/** Returns the scanners of a store, shared by all its queries. */
export function getScanners(store: GraphStore): Scanners {
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
