// A best-first walk through an index. The caller lists the neighbors of one slot after another;
// kernels keep results and slots to visit, sorted by score, in the scratch memory of this thread. A
// thread has one walk at a time. Comparisons between slots use the same memory.

import { MAX_EF } from "./index-layout.js";
import type { Probe } from "./probe.js";
import { computeKernelLength, computeStride } from "./vector-layout.js";
import { MAX_LIST, STATE_WORDS, type VectorMemory, WALK_ENTRIES } from "./vector-memory.js";
import type { VectorTable } from "./vector-table.js";

/** Words of the state; see kernels/vectors.wat. */
const State = {
  Results: 0,
  Entries: 1,
  MaxResults: 2,
  MaxEntries: 3,
  Probe: 4,
  Length: 5,
  Field: 6,
  Factor: 7,
  Weight: 8,
  Base: 9,
  List: 10,
  Prefetched: 11,
  First: 12,
  Next: 13,
  Scores: 14,
} as const;

/** Marks of a listed address. Refused: never a result; any: a result even without a vertex. */
export const Mark = { None: 0, Refused: 1, Any: 2 } as const;
/** Minimum size of a slot, in words, for prefetching: 128 components. */
const TOUCH_WORDS = 40;

export class HnswWalk {
  readonly #table: VectorTable;
  readonly #memory: VectorMemory;
  /** Length word of the slots. */
  readonly #length: number;
  readonly #prefetched: number;

  constructor(table: VectorTable, length: number) {
    this.#table = table;
    this.#memory = table.memory;
    this.#length = length;
    const stride = computeStride(length);
    this.#prefetched = stride < TOUCH_WORDS ? 0 : stride * 4;
  }

  /** Starts a walk without results. */
  begin(probe: Probe, maxResults: number): void {
    const { field, factor, weight, base } = probe.kernelTerms(this.#length);
    const floats = this.#memory.walkFloats;
    this.#beginRanking(maxResults);
    const words = this.#memory.walkWords;
    words[State.Field] = field;
    floats[State.Factor] = factor;
    floats[State.Weight] = weight;
    floats[State.Base] = base;
  }

  #beginRanking(maxResults: number): void {
    const memory = this.#memory;
    const words = memory.walkWords;
    const { kernel } = this.#table.measure;
    words[State.Results] = 0;
    words[State.Entries] = 0;
    words[State.MaxResults] = maxResults;
    words[State.MaxEntries] = WALK_ENTRIES;
    words[State.Probe] = memory.probe;
    words[State.Length] = computeKernelLength(this.#length);
    words[State.Field] = kernel.field * 4;
    memory.walkFloats[State.Weight] = kernel.weight;
    words[State.List] = memory.lists;
    words[State.Scores] = memory.lists + MAX_LIST * 4;
    words[State.Prefetched] = this.#prefetched;
    words[State.First] = memory.walk + STATE_WORDS * 4;
    words[State.Next] = memory.walk + STATE_WORDS * 4;
  }

  /** Scores listed slots; returns the slot to list the neighbors of, or 0 at the end. */
  step(probe: Probe, count: number): number {
    const memory = this.#memory;
    // The condition may have loaded another probe.
    probe.load(this.#length);
    // There is a kernel: indexes are built and searched only if kernels can address the vectors.
    const address = memory.kernel!.walk(memory.walk, count);
    return address === 0 ? 0 : memory.wordAt(address >>> 0);
  }

  /** Score that slots must exceed to be visited. */
  get threshold(): number {
    const { walkWords, walkFloats } = this.#memory;
    const isFull = walkWords[State.Results] === walkWords[State.MaxResults];
    if (!isFull) return Number.NEGATIVE_INFINITY;
    return walkFloats[STATE_WORDS + 2 * (walkWords[State.Entries]! - 1)]!;
  }

  /** Number of results. */
  get count(): number {
    return this.#memory.walkWords[State.Results]!;
  }

  /** Ends the walk and moves the results to the first positions, best first. */
  finish(): void {
    this.#memory.kernel!.finish(this.#memory.walk);
  }

  slotAt(rank: number): number {
    const memory = this.#memory;
    return memory.wordAt(memory.walkWords[STATE_WORDS + 2 * rank + 1]!);
  }

  scoreAt(rank: number): number {
    return this.#memory.walkFloats[STATE_WORDS + 2 * rank]!;
  }

  /** Returns the slots of the results. */
  slots(): number[] {
    const slots: number[] = [];
    const { count } = this;
    for (let position = 0; position < count; position++) slots.push(this.slotAt(position));
    return slots;
  }

  /** Returns the scores of the results. */
  scores(): number[] {
    const scores: number[] = [];
    const { count } = this;
    for (let position = 0; position < count; position++) scores.push(this.scoreAt(position));
    return scores;
  }

  /** Replaces the results by slots, sorted by their similarity to `slot`. */
  rank(slot: number, others: Uint32Array): void {
    const memory = this.#memory;
    const { list } = memory;
    this.#beginRanking(MAX_EF);
    const count = others.length;
    for (let at = 0; at < count; at++) list[at] = memory.addressOf(others[at]!);
    const { factor } = this.#table.measure.kernel;
    memory.kernel!.rank(memory.walk, memory.addressOf(slot), count, factor);
  }

  /**
   * Copies a diverse subset of the sorted results (HNSW heuristic): each is nearer to the slot or
   * probe of the walk than to any result selected before it. Returns the size of the subset.
   */
  diversify(maxCount: number, into: Uint32Array, to = 0): number {
    const memory = this.#memory;
    const { factor } = this.#table.measure.kernel;
    const count = memory.kernel!.diversify(memory.walk, maxCount, factor);
    for (let position = 0; position < count; position++)
      into[to + position] = this.slotAt(position);
    return count;
  }
}
