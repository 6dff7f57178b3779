// Remembers which vertices meet a condition, as bits that are set as vertices are tested. Searches
// with one plan share them as long as the graph does not change. Not for conditions with
// expressions, which may have effects or depend on more than the graph.

import { ARC_WORDS } from "../../memory/layout.js";
import type { GraphStore } from "../../store/graph-store.js";
import { getGroup, getGroupBit } from "../../store/property-groups.js";
import { GroupBits } from "../match/group-bits.js";
import type { VertexTest } from "../match/vertex-test.js";
import type { Walker } from "./walker.js";

/** Vertices whose properties are tested together. */
const GROUP = 32;
/** Up to this number, a search reaches most groups, and testing whole groups is faster. */
const FEW_GROUPS = 2 ** 13;

/** Arcs whose heads are the vertices of a group. */
const words = new Uint32Array(GROUP * ARC_WORDS);
let serials = 0;

export class FilterMemo {
  readonly #store: GraphStore;
  readonly #test: VertexTest;
  readonly #walker: Walker;
  readonly #bits = new GroupBits();
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
    let memo = FilterMemo.#ofTests.get(test);
    if (memo === undefined) {
      memo = new FilterMemo(store, test, walker);
      FilterMemo.#ofTests.set(test, memo);
    }
    return memo.#renew() ? memo : null;
  }

  /** Returns whether a vertex met the condition when it was tested, during this state or search. */
  accepts(vertex: number): boolean {
    const group = getGroup(vertex);
    const bit = 1 << getGroupBit(vertex);
    const bits = this.#bits;
    if ((bits.known(group) & bit) === 0) {
      if (this.#hasFewGroups) this.#testGroup(group);
      else bits.set(group, bit, this.#walker.test(this.#test, vertex, 0) ? bit : 0);
    }
    return (bits.passing(group) & bit) !== 0;
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
    for (let at = 0; at < end; at += ARC_WORDS) passing |= 1 << getGroupBit(words[at]!);
    this.#bits.set(group, -1, passing);
  }

  /** Forgets all bits, unless the graph is as it was; returns false if it is too large. */
  #renew(): boolean {
    if (this.#bits.renew(this.#store.settledCount)) return true;
    this.serial = ++serials;
    // Vertices may be created meanwhile.
    const groups = Math.ceil((this.#store.vertices.end * 9) / 8 / GROUP) + 1;
    this.#hasFewGroups = this.#test.isPlain && groups <= FEW_GROUPS;
    return this.#bits.reserve(groups);
  }
}
