// The vertices that a scan has to look at, in slices: those with one of some ids, those of a type,
// or all. A slice is read at one moment, the next one later; what comes or goes in between may be
// given or not, but nothing is given twice.

import type { GraphStore } from "../../store/graph-store.js";
import { HandleSet } from "../match/handle-set.js";
import type { VertexTest } from "../match/vertex-test.js";

/** Handles that a slice may have. */
export const SLICE = 4096;
/** Of a scan that is over before the next one begins: making memory would take longer than it. */
const shared = new Uint32Array(SLICE);
/** A query for a few hits often needs no more. */
const FIRST_OF_FEW = 64;

/** More than these are not taken from an index: they are read with the mutex. */
const MOST_FROM_INDEX = 65_536;
/** A vertex from an index costs as much as some of a scan. */
const DURABLE_LEVEL = 4;

export class Candidates {
  readonly #store: GraphStore;
  /** The handles of the present slice come first in it. */
  readonly slice: Uint32Array;
  /** How many handles a slice may have. */
  #size: number;
  /** Sought handles, null for those of a type or all. */
  readonly #handles: readonly number[] | null;
  /** Type code, 0 for all types. */
  readonly #type: number;
  /** Up to which place sought handles were given, or handles; of a type those from here on. */
  #place = 0;
  readonly #end: number;
  /** What was given already, when a vertex may change its place in a list meanwhile. */
  readonly #given: HandleSet | null;
  /** Where they come from, and about how many there are. */
  origin = "all vertices";
  readonly count: number;

  /**
   * @param test a bound test that all have to pass, null for none
   * @param wanted how many are enough, if they pass
   * @param slice memory for a slice; needed where other scans may come in between
   */
  constructor(store: GraphStore, test: VertexTest | null, wanted: number, slice = shared) {
    this.#store = store;
    this.slice = slice;
    this.#size = wanted <= FIRST_OF_FEW ? FIRST_OF_FEW : SLICE;
    const isSelective = test !== null && !test.isNegated;
    this.#handles = isSelective ? (test.ids?.handles ?? this.#fromIndex(test)) : null;
    const type = isSelective && this.#handles === null ? test.type : null;
    this.#type = type?.code ?? 0;
    if (type !== null) this.#place = type.code === 0 ? 0 : store.typeLists.count(type.code);
    this.#end = this.#handles?.length ?? (type === null ? store.vertices.end : 0);
    this.count = this.#type === 0 ? this.#end : this.#place;
    if (isSelective && test.ids !== null) this.origin = "ids";
    else if (type !== null) this.origin = "list of a type";
    this.#given = this.#type !== 0 && this.#place > this.#size ? new HandleSet() : null;
  }

  /** What an index leads to, where that is much less than there is otherwise. */
  #fromIndex({ indexed, type }: VertexTest): readonly number[] | null {
    if (indexed.length === 0 || this.#store.indexes.isEmpty) return null;
    const { typeLists, vertices } = this.#store;
    const others = type === null ? vertices.end : typeLists.count(type.code);
    let limit = Math.min(MOST_FROM_INDEX, Math.floor(others / DURABLE_LEVEL));
    let best: readonly number[] | null = null;
    for (const check of indexed) {
      const found = check.candidates(limit);
      if (found === null) continue;
      best = found;
      limit = found.length;
      this.origin = `index: ${check.label}`;
    }
    return best;
  }

  /** Fills the slice; returns how many there are, -1 when all were given. */
  next(): number {
    const size = this.#size;
    this.#size = SLICE;
    if (this.#handles !== null) return this.#nextSought(this.#handles, size);
    return this.#type === 0 ? this.#nextUsed(size) : this.#nextOfType(size);
  }

  #nextSought(handles: readonly number[], size: number): number {
    if (this.#place >= this.#end) return -1;
    const { slice } = this;
    let count = 0;
    while (this.#place < this.#end && count < size) {
      slice[count++] = handles[this.#place++]!;
    }
    return count;
  }

  #nextUsed(size: number): number {
    if (this.#place >= this.#end) return -1;
    const { slice } = this;
    const { vertices } = this.#store;
    const end = Math.min(this.#place + size, this.#end);
    let count = 0;
    for (let handle = this.#place; handle < end; handle++) {
      if (vertices.isUsed(handle)) slice[count++] = handle;
    }
    this.#place = end;
    return count;
  }

  /** From the end of the list on: what leaves it lets the last one take its place. */
  #nextOfType(size: number): number {
    if (this.#place <= 0) return -1;
    const slice = this.slice.subarray(0, size);
    const found = this.#store.typeLists.copyBefore(this.#type, this.#place, slice);
    this.#place -= size;
    if (this.#given === null) return found;
    let count = 0;
    for (let at = 0; at < found; at++) {
      const handle = slice[at]!;
      if (this.#given.add(handle)) slice[count++] = handle;
    }
    return count;
  }
}
