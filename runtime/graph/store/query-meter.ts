// Counts queries and their time for the status services. One query in 64 is sampled: reading the
// clock twice costs as much as a small query, and changing a shared counter costs more.

import type { GraphMemory } from "../memory/graph-memory.js";
import { Header } from "../memory/layout.js";

const SAMPLE = 64;
const WORD = 2 ** 32;

export class QueryMeter {
  readonly #ints: Int32Array;
  readonly #words: Uint32Array;
  #pending = 0;
  /** Starts at 1: the first query is sampled. */
  #sample = 1;

  constructor(memory: GraphMemory) {
    this.#ints = memory.header.ints;
    this.#words = memory.header.words;
  }

  /** @returns the argument of `end` */
  begin(): number {
    return ++this.#pending < this.#sample ? 0 : performance.now();
  }

  end(begun: number): void {
    if (begun === 0) return;
    const queries = this.#pending;
    const us = Math.round((performance.now() - begun) * 1000 * queries);
    Atomics.add(this.#ints, Header.QueryCount, queries);
    const low = Atomics.add(this.#ints, Header.QueryTimeUs, us) >>> 0;
    if (low + us >= WORD) Atomics.add(this.#ints, Header.QueryTimeUsHigh, 1);
    this.#pending = 0;
    this.#sample = SAMPLE;
  }

  /** Time spent in queries of the graph, in microseconds. */
  get timeUs(): number {
    return this.#words[Header.QueryTimeUsHigh]! * WORD + this.#words[Header.QueryTimeUs]!;
  }

  /** Resets the counters of the graph. */
  reset(): void {
    for (const word of [Header.QueryCount, Header.QueryTimeUs, Header.QueryTimeUsHigh]) {
      Atomics.store(this.#ints, word, 0);
    }
  }
}
