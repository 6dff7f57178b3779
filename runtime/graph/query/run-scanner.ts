// Reads the arcs of one vertex side while others write: every answer is one that was true at one
// moment. See memory/reader.ts for how; the loops are in arc-kernels.ts and hub-kernel.ts.

import type { Arena } from "../memory/arena.js";
import { ARC_WORDS, SIDE_WORDS, Side } from "../memory/layout.js";
import type { Reader } from "../memory/reader.js";
import type { SideNumber } from "../memory/writer.js";
import type { ArcRuns } from "../store/arc-runs.js";
import type { GraphStore } from "../store/graph-store.js";
import {
  copyAll,
  copyKeys,
  copyMatches,
  copyPlaces,
  copyRange,
  countKeys,
  countMatches,
  countRange,
} from "./arc-kernels.js";
import type { ArcStack } from "./arc-stack.js";
import { type ArcTest, ArcTestKind } from "./arc-test.js";
import { HUB_ARCS, type HubKernel, hubKernel } from "./hub-kernel.js";

/** The run lies, or seems to lie, beyond this thread's views. */
const UNREADABLE = -1;
/** All arcs, in the place of a limit. */
export const ALL_ARCS = 0x3fff_ffff;

export class RunScanner {
  readonly side: SideNumber;
  readonly #runs: ArcRuns;
  readonly #sides: Arena;
  readonly #arcs: Arena;
  readonly #reader: Reader;
  #hub: HubKernel | null = null;
  /** First word of the run that was looked at last, and its arcs. */
  #run = 0;
  #length = 0;

  constructor(reader: Reader, runs: ArcRuns) {
    this.side = runs.side;
    this.#runs = runs;
    this.#sides = runs.sides;
    this.#arcs = runs.arcs;
    this.#reader = reader;
  }

  /** Number of arcs that pass. */
  count(vertex: number, test: ArcTest): number {
    if (test.kind === ArcTestKind.Nothing) return 0;
    for (let attempt = 0; ; attempt++) {
      const seen = this.#reader.enter(this.side, vertex, attempt);
      const count = this.#find(vertex, attempt) ? this.#count(test) : UNREADABLE;
      if (this.#reader.leave(this.side, vertex, seen) && count !== UNREADABLE) return count;
    }
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
      const positions = isReadable && this.#length > 0 ? this.#runs.findAll(vertex, other) : [];
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

  #count(test: ArcTest): number {
    const length = this.#length;
    if (test.kind === ArcTestKind.Any) return length;
    const { words } = this.#arcs;
    let from = this.#run;
    const end = from + length * ARC_WORDS;
    if (test.kind === ArcTestKind.General) return countMatches(test, words, from, end);
    let count = 0;
    if (length >= HUB_ARCS) {
      const arcs = length - (length & 3);
      count = this.#countHub(test, words.byteOffset + from * 4, arcs);
      from += arcs * ARC_WORDS;
    }
    if (test.kind === ArcTestKind.Key) return count + countKeys(test, words, from, end);
    return count + countRange(test, words, from, end);
  }

  #countHub(test: ArcTest, firstByte: number, arcs: number): number {
    this.#hub ??= hubKernel(this.#arcs.memory);
    const { mask, want, flip, fold, low, high } = test;
    if (test.kind === ArcTestKind.Key) return this.#hub.countKeys(firstByte, arcs, mask, want);
    return this.#hub.countRange(firstByte, arcs, mask, want, flip, fold, low, high);
  }

  #copy(test: ArcTest, stack: ArcStack, limit: number): void {
    const length = this.#length;
    const { words } = this.#arcs;
    const from = this.#run;
    const end = from + length * ARC_WORDS;
    const stop = stack.top + limit * ARC_WORDS;
    if (test.kind === ArcTestKind.Any) {
      copyAll(words, from, from + Math.min(length, limit) * ARC_WORDS, stack);
    } else if (test.kind === ArcTestKind.Key) copyKeys(test, words, from, end, stack, stop);
    else if (test.kind === ArcTestKind.Range) copyRange(test, words, from, end, stack, stop);
    else copyMatches(test, words, from, end, stack, stop);
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
    const { reader } = store;
    known = {
      outArcs: new RunScanner(reader, store.outArcs),
      inArcs: new RunScanner(reader, store.inArcs),
    };
    scanners.set(store, known);
  }
  return known;
}
