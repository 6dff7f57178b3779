// Candidates of a scan, in slices: the vertices of given ids, of a type, or all. Slices are read at
// different moments; a vertex created or deleted in between may or may not be returned, but none is
// returned twice.

import type { GraphStore } from "../../store/graph-store.js";
import { HandleSet } from "../match/handle-set.js";
import type { VertexTest } from "../match/vertex-test.js";
import { findSource } from "./candidate-sources.js";

/** Maximum number of handles of a slice. */
export const SLICE = 4096;
/** Shared by scans that finish before the next one begins, to save the allocation. */
const shared = new Uint32Array(SLICE);
/** First slice size; enough for most queries for a few hits. */
const FIRST_OF_FEW = 64;
/** How much larger each slice is than the one before. */
const GROWTH = 8;

/** Maximum number of candidates from an index or from arcs. */
const MAX_FROM_SOURCE = 65_536;
/** Cost of such a candidate, in vertices of a scan. */
const COST = 4;

/** Origin of a scan of the whole graph. */
export const ALL_VERTICES = "all vertices";

export class Candidates {
  readonly #store: GraphStore;
  /** The handles of the current slice, from the start; callers must not change them. */
  readonly slice: Uint32Array;
  /** Current slice size. */
  #size: number;
  /** Handles to return; null for those of a type or all. */
  readonly #handles: readonly number[] | null;
  /** Type code; 0 for all types. */
  readonly #type: number;
  /**
   * Next position: an offset in the handles, a handle, or an offset from the end of a type's list.
   */
  #place = 0;
  readonly #end: number;
  /**
   * Handles already returned, as a vertex may move within its list meanwhile; null before the
   * second slice.
   */
  #given: HandleSet | null = null;
  /** Handles of the first slice of a type, which the second one replaces; -1 before. */
  #first = -1;
  /** Description of the source and the approximate number of candidates. */
  origin = ALL_VERTICES;
  readonly count: number;

  /**
   * @param test a bound test that all must pass, null for none
   * @param sufficientCount number of candidates that suffice if they pass
   * @param slice buffer of the slice; required if scans interleave
   */
  constructor(store: GraphStore, test: VertexTest | null, sufficientCount: number, slice = shared) {
    this.#store = store;
    this.slice = slice;
    this.#size = sufficientCount <= FIRST_OF_FEW ? firstOfFew(test, sufficientCount) : SLICE;
    const isSelective = test !== null && !test.isNegated;
    this.#handles = isSelective ? this.#findHandles(test) : null;
    const type = isSelective && this.#handles === null ? test.type : null;
    this.#type = type?.code ?? 0;
    if (type !== null) this.#place = type.code === 0 ? 0 : store.typeLists.count(type.code);
    // Handle 0 is never used.
    else if (this.#handles === null) this.#place = 1;
    this.#end = this.#handles?.length ?? (type === null ? store.vertices.end : 0);
    this.count = this.#type === 0 ? this.#end : this.#place;
    if (type !== null) this.origin = "list of a type";
  }

  /** Returns the candidates of a source if they are far fewer than without it. */
  #findHandles(test: VertexTest): readonly number[] | null {
    const { typeLists, vertices } = this.#store;
    const others = test.type === null ? vertices.end : typeLists.count(test.type.code);
    const limit = Math.min(MAX_FROM_SOURCE, Math.floor(others / COST));
    const source = findSource(this.#store, test, limit);
    if (source === null) return null;
    this.origin = source.label;
    return source.handles;
  }

  /** True if all vertices are candidates. */
  get areAll(): boolean {
    return this.#handles === null && this.#type === 0 && this.#end > 0;
  }

  /** True if the candidates are those of a type that a large share of all vertices has. */
  get areOfFrequentType(): boolean {
    return this.#type !== 0 && this.count * COST >= this.#store.vertices.end;
  }

  /** Fills the slice; returns the number of handles, -1 at the end. */
  next(): number {
    const size = this.#size;
    this.#size = Math.min(SLICE, size * GROWTH);
    if (this.#handles !== null) return this.#nextListed(this.#handles, size);
    return this.#type === 0 ? this.#nextUsed(size) : this.#nextOfType(size);
  }

  #nextListed(handles: readonly number[], size: number): number {
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

  /** Iterates backwards: a removal moves the last vertex of the list into the gap. */
  #nextOfType(size: number): number {
    if (this.#place <= 0) return -1;
    const { slice } = this;
    const isFirst = this.#first < 0;
    if (!isFirst) this.#given ??= setOf(slice, this.#first);
    const found = this.#store.typeLists.copyBefore(this.#type, this.#place, slice, size);
    this.#place -= size;
    if (isFirst || this.#given === null) {
      // Most queries for a few hits end here.
      this.#first = found;
      return found;
    }
    let count = 0;
    for (let at = 0; at < found; at++) {
      const handle = slice[at]!;
      if (this.#given.add(handle)) slice[count++] = handle;
    }
    return count;
  }
}

/** Returns whether all vertices in the list of a type pass a test. */
export function isTypeOnly({ isPlain, isNegated, checks, filter, type }: VertexTest): boolean {
  return isPlain && !isNegated && filter === null && type !== null && checks.length === 1;
}

/** Returns the size of the first slice if few candidates are wanted that pass a test. */
function firstOfFew(test: VertexTest | null, sufficientCount: number): number {
  return test === null || isTypeOnly(test) ? Math.max(1, sufficientCount) : FIRST_OF_FEW;
}

function setOf(handles: Uint32Array, count: number): HandleSet {
  const set = new HandleSet();
  for (let at = 0; at < count; at++) set.add(handles[at]!);
  return set;
}
