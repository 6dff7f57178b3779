// Tests the condition of a search on its matches. Where many matches are tested, the candidates of
// the condition are looked up: all other matches then need no test.

import type { GraphStore } from "../../store/graph-store.js";
import { HandleSet } from "../match/handle-set.js";
import type { VertexTest } from "../match/vertex-test.js";
import { findSource } from "./candidate-sources.js";
import type { Walker } from "./walker.js";

/** Tests before candidates are looked up, and the factor of tests until the next attempt. */
const FIRST_ATTEMPT = 1024;
const ATTEMPT_FACTOR = 8;
/** Candidates for each test so far: looking them up costs about as much as those tests did. */
const CANDIDATES_PER_TEST = 4;

export class MatchFilter {
  /** Describes the candidates; null while there are none. */
  origin: string | null = null;
  readonly #store: GraphStore;
  readonly #test: VertexTest;
  readonly #walker: Walker;
  #tested = 0;
  #nextAttempt: number;
  #candidates: HandleSet | null = null;

  /**
   * @param test a bound test
   * @param walker started with the sink and deadline of the search
   * @param isPure false: every match must be tested, because tests have effects
   */
  constructor(store: GraphStore, test: VertexTest, walker: Walker, isPure: boolean) {
    this.#store = store;
    this.#test = test;
    this.#walker = walker;
    this.#nextAttempt = isPure ? FIRST_ATTEMPT : Number.POSITIVE_INFINITY;
  }

  accepts(vertex: number): boolean {
    if (this.#candidates === null) {
      if (++this.#tested === this.#nextAttempt) this.#findCandidates();
    } else if (!this.#candidates.has(vertex)) return false;
    return this.#walker.test(this.#test, vertex, 0);
  }

  #findCandidates(): void {
    const source = findSource(this.#store, this.#test, this.#tested * CANDIDATES_PER_TEST);
    this.#nextAttempt *= ATTEMPT_FACTOR;
    if (source === null) return;
    this.origin = `${source.label}: ${source.handles.length} candidates`;
    this.#candidates = new HandleSet();
    for (const vertex of source.handles) this.#candidates.add(vertex);
  }
}
