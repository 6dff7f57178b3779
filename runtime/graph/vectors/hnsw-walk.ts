// A best-first walk through an index by kernels: candidates, results and scores stay in the scratch
// memory of this thread, and the caller lists the neighbors of one slot after the other. A thread
// has one walk at a time. Comparisons of slots with each other use the same memory.

import type { Probe } from "./probe.js";
import { computeStride, countComponents } from "./vector-layout.js";
import {
  MAX_LIST,
  type VectorMemory,
  WALK_CANDIDATES,
  WALK_ENTRIES,
  WALK_RESULTS,
} from "./vector-memory.js";
import type { VectorTable } from "./vector-table.js";

/** Words of the state; see kernels/vectors.wat. */
const State = {
  Results: 0,
  Candidates: 1,
  MaxResults: 2,
  MaxCandidates: 3,
  Probe: 4,
  Length: 5,
  Field: 6,
  Factor: 7,
  Weight: 8,
  Base: 9,
  List: 10,
  Prefetched: 11,
  ResultHeap: 12,
  CandidateHeap: 13,
  Scores: 14,
} as const;

/** Marks of a listed address: never a result; a result even without a vertex. */
export const Mark = { None: 0, Refused: 1, Any: 2 } as const;
/** Minimum words of a slot that are worth prefetching: 128 components. */
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
  begin(probe: Probe, most: number): void {
    const { field, factor, weight, base } = probe.kernelTerms(this.#length);
    const floats = this.#memory.walkFloats;
    this.#beginRanking(most);
    const words = this.#memory.walkWords;
    words[State.Field] = field;
    floats[State.Factor] = factor;
    floats[State.Weight] = weight;
    floats[State.Base] = base;
  }

  #beginRanking(most: number): void {
    const memory = this.#memory;
    const words = memory.walkWords;
    const { kernel } = this.#table.measure;
    words[State.Results] = 0;
    words[State.Candidates] = 0;
    words[State.MaxResults] = most;
    words[State.MaxCandidates] = WALK_CANDIDATES;
    words[State.Probe] = memory.probe;
    words[State.Length] = countComponents(this.#length);
    words[State.Field] = kernel.field * 4;
    memory.walkFloats[State.Weight] = kernel.weight;
    words[State.List] = memory.lists;
    words[State.Scores] = memory.lists + MAX_LIST * 4;
    words[State.Prefetched] = this.#prefetched;
    words[State.ResultHeap] = memory.walk + WALK_ENTRIES * 4;
    words[State.CandidateHeap] = memory.walk + (WALK_ENTRIES + 2 * WALK_RESULTS) * 4;
  }

  /** Scores listed slots; returns the slot to list the neighbors of, or 0 at the end. */
  step(probe: Probe, count: number): number {
    const memory = this.#memory;
    // A condition that ran since may have loaded another one.
    probe.load(this.#length);
    // An index is built and searched once kernels can address the vectors.
    const address = memory.kernel!.walk(memory.walk, count);
    return address === 0 ? 0 : memory.wordAt(address >>> 0);
  }

  /** Score that slots must exceed to matter. */
  get threshold(): number {
    const { walkWords, walkFloats } = this.#memory;
    const isFull = walkWords[State.Results] === walkWords[State.MaxResults];
    return isFull ? -walkFloats[WALK_ENTRIES]! : Number.NEGATIVE_INFINITY;
  }

  /** Number of results. */
  get count(): number {
    return this.#memory.walkWords[State.Results]!;
  }

  /** Sorts the results, best first, which ends the walk. */
  sort(): void {
    this.#memory.kernel!.sort(this.#memory.walk);
  }

  slotAt(place: number): number {
    const memory = this.#memory;
    return memory.wordAt(memory.walkWords[WALK_ENTRIES + 2 * place + 1]!);
  }

  scoreAt(place: number): number {
    return -this.#memory.walkFloats[WALK_ENTRIES + 2 * place]!;
  }

  /** Returns the slots of the results. */
  slots(): number[] {
    const slots: number[] = [];
    const { count } = this;
    for (let place = 0; place < count; place++) slots.push(this.slotAt(place));
    return slots;
  }

  /** Makes slots the results, sorted by their similarity to another one. */
  rank(slot: number, others: Uint32Array): void {
    const memory = this.#memory;
    const { list } = memory;
    this.#beginRanking(WALK_RESULTS);
    const count = others.length;
    for (let at = 0; at < count; at++) list[at] = memory.addressOf(others[at]!);
    const { factor } = this.#table.measure.kernel;
    memory.kernel!.rank(memory.walk, memory.addressOf(slot), count, factor);
  }

  /**
   * Copies diverse ones of the sorted results to an offset: each is nearer to the slot or probe
   * that they were compared with than to any one before it (HNSW heuristic). Returns their number.
   */
  diversify(room: number, into: Uint32Array, to = 0): number {
    const memory = this.#memory;
    const { factor } = this.#table.measure.kernel;
    const count = memory.kernel!.diversify(memory.walk, room, factor);
    for (let place = 0; place < count; place++) into[to + place] = this.slotAt(place);
    return count;
  }
}
