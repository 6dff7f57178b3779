// Counts queries and the time they take, for the status services. Two looks at the clock cost as
// much as a small query, and a counter that all threads write to costs more: so one query of 64
// is timed, and stands for all of them.

import { Header } from "../../memory/layout.js";
import type { GraphStore } from "../../store/graph-store.js";

const SAMPLE = 64;
const WORD = 2 ** 32;
const meters = new WeakMap<GraphStore, QueryMeter>();

export class QueryMeter {
  readonly #ints: Int32Array;
  #pending = 0;
  /** The first query counts at once. */
  #sample = 1;

  private constructor(store: GraphStore) {
    this.#ints = store.memory.header.ints;
  }

  static of(store: GraphStore): QueryMeter {
    let meter = meters.get(store);
    if (meter === undefined) {
      meter = new QueryMeter(store);
      meters.set(store, meter);
    }
    return meter;
  }

  /** @returns what `end` wants back */
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
}

/** Microseconds that the queries of a graph have taken. */
export function queryTimeUs({ memory }: GraphStore): number {
  const { words } = memory.header;
  return words[Header.QueryTimeUsHigh]! * WORD + words[Header.QueryTimeUs]!;
}

/** Sets what was counted to zero. */
export function resetQueryCounters({ memory }: GraphStore): void {
  const { ints } = memory.header;
  for (const word of [Header.QueryCount, Header.QueryTimeUs, Header.QueryTimeUsHigh]) {
    Atomics.store(ints, word, 0);
  }
}
