// Remembers which vertices meet a condition, as bits that are set as vertices are tested. Searches
// with one plan share them as long as the graph does not change. Not for conditions with
// expressions, which may have effects or depend on more than the graph.

import { ARC_WORDS } from "../../memory/layout.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { VertexTest } from "../match/vertex-test.js";
import type { Walker } from "./walker.js";

/** Vertices of a word, whose properties are tested together. */
const GROUP = 32;
/** Limits the memory of a plan: each group takes 12 bytes. */
const MAX_GROUPS = 2 ** 18;
/** Up to this number, a search reaches most groups, and testing whole groups is faster. */
const FEW_GROUPS = 2 ** 13;

/** Arcs whose heads are the vertices of a group. */
const words = new Uint32Array(GROUP * ARC_WORDS);

let serials = 0;

export class FilterMemo {
  readonly #store: GraphStore;
  readonly #test: VertexTest;
  readonly #walker: Walker;
  #known = new Uint32Array(0);
  #passing = new Uint32Array(0);
  #stamps = new Uint32Array(0);
  #stamp = 0;
  /** State of the graph that the bits are of; -1 for none. */
  #state = -1;
  #hasFewGroups = false;
  /** See `SlotFilter`. */
  serial = 0;

  private constructor(store: GraphStore, test: VertexTest, walker: Walker) {
    this.#store = store;
    this.#test = test;
    this.#walker = walker;
  }

  static readonly #ofTests = new WeakMap<VertexTest, FilterMemo>();

  /**
   * Returns the memo of a bound test without expressions; null if the graph is too large for one.
   * @param walker started with the deadline of the search
   */
  static of(store: GraphStore, test: VertexTest, walker: Walker): FilterMemo | null {
    if (store.vertices.end / GROUP >= MAX_GROUPS) return null;
    let memo = FilterMemo.#ofTests.get(test);
    if (memo === undefined) {
      memo = new FilterMemo(store, test, walker);
      FilterMemo.#ofTests.set(test, memo);
    }
    memo.#renew();
    return memo;
  }

  /** Returns whether a vertex met the condition when it was tested, during this state or search. */
  accepts(vertex: number): boolean {
    const group = vertex >>> 5;
    if (group >= this.#stamps.length) return this.#walker.test(this.#test, vertex, 0);
    const bit = 1 << (vertex & 31);
    if (this.#stamps[group] !== this.#stamp) {
      this.#stamps[group] = this.#stamp;
      this.#known[group] = 0;
      this.#passing[group] = 0;
    }
    if ((this.#known[group]! & bit) === 0) {
      if (this.#hasFewGroups) this.#testGroup(group);
      else this.#testOne(vertex, group, bit);
    }
    return (this.#passing[group]! & bit) !== 0;
  }

  #testOne(vertex: number, group: number, bit: number): void {
    this.#known[group]! |= bit;
    if (this.#walker.test(this.#test, vertex, 0)) this.#passing[group]! |= bit;
  }

  #testGroup(group: number): void {
    const { vertices } = this.#store;
    const first = group * GROUP;
    const last = Math.min(first + GROUP, vertices.end);
    let end = 0;
    for (let vertex = first; vertex < last; vertex++) {
      if (!vertices.isUsed(vertex)) continue;
      words[end] = vertex;
      end += ARC_WORDS;
    }
    for (const check of this.#test.checks) end = check.filter(words, 0, end);
    let passing = 0;
    for (let at = 0; at < end; at += ARC_WORDS) passing |= 1 << (words[at]! & 31);
    this.#known[group] = 0xffff_ffff;
    this.#passing[group] = passing;
  }

  /** Forgets all bits, unless the graph is as it was. */
  #renew(): void {
    const { end } = this.#store.vertices;
    const state = this.#store.settledCount;
    if (state !== -1 && state === this.#state) return;
    this.#state = state;
    this.serial = ++serials;
    const groups = Math.ceil(end / GROUP);
    this.#hasFewGroups = this.#test.isPlain && groups <= FEW_GROUPS;
    if (groups > this.#stamps.length || this.#stamp === 0xffff_ffff) {
      this.#known = new Uint32Array(groups);
      this.#passing = new Uint32Array(groups);
      this.#stamps = new Uint32Array(groups);
      this.#stamp = 0;
    }
    this.#stamp++;
  }
}
