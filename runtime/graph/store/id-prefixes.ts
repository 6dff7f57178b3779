// First bytes of the ids of vertices as numbers, by handle, for orders by id: an id itself lies two
// cache misses away. Each thread keeps its own, only while no vertex is created or removed.
//
// A mutation that creates vertices changes `Header.VertexSerial`, and one that removes some changes
// `Header.IndexSequence`. Prefixes read while both stay the same and the mutex is free are valid.

import type { GraphMemory } from "../memory/graph-memory.js";
import { Header } from "../memory/layout.js";

/** Graphs with more handles have no prefixes, which would take more than 8 MiB per thread. */
const MAX_HANDLES = 2 ** 20;

export class IdPrefixes {
  readonly #memory: GraphMemory;
  #column: Float64Array | null = null;
  /** State of the graph that the column belongs to. */
  #sequence = 0;
  #serial = 0;
  /** Prefixes requested in this state. */
  #requested = 0;

  constructor(memory: GraphMemory) {
    this.#memory = memory;
  }

  /**
   * Returns the known prefixes; the caller must replace each NaN that it reads by the prefix. Null
   * if it must compute all: the array is allocated once as many prefixes were requested as there
   * are handles, so it never costs more than the prefixes computed before.
   * @param count number of prefixes that the caller needs
   */
  request(count: number): Float64Array | null {
    const { words, ints } = this.#memory.header;
    const sequence = Atomics.load(ints, Header.IndexSequence);
    const serial = Atomics.load(ints, Header.VertexSerial);
    if (sequence !== this.#sequence || serial !== this.#serial) {
      this.#column = null;
      this.#sequence = sequence;
      this.#serial = serial;
      this.#requested = 0;
    }
    // Read in this order: a mutation that begins now changes both words before it changes an id.
    if (Atomics.load(ints, Header.Mutex) !== 0) return null;
    this.#requested += count;
    const end = words[Header.HandleEnd]!;
    if (this.#column === null && this.#requested > end && end <= MAX_HANDLES) {
      this.#column = new Float64Array(end).fill(Number.NaN);
    }
    return this.#column;
  }
}
