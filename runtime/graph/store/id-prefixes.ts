// First bytes of the ids of vertices as numbers, by handle, for orders by id: an id itself lies two
// cache misses away. Each thread keeps its own, only while no vertex is created or removed.
//
// A mutation that creates vertices changes `Header.VertexSerial`, and one that removes some changes
// `Header.IndexSequence`. Prefixes read while both stay the same and the mutex is free are valid.

import type { GraphMemory } from "../memory/graph-memory.js";
import { Header } from "../memory/layout.js";

/** Graphs with more handles have none: 8 MiB per thread. */
const MAX_HANDLES = 2 ** 20;

export class IdPrefixes {
  readonly #memory: GraphMemory;
  #column: Float64Array | null = null;
  /** State of the graph that the column belongs to. */
  #sequence = 0;
  #serial = 0;
  /** Prefixes requested since then. */
  #requested = 0;

  constructor(memory: GraphMemory) {
    this.#memory = memory;
  }

  /**
   * Returns the known prefixes, NaN for others, which the caller adds at once; null if it must
   * compute all. As many must have been requested as there are handles: an array never costs more
   * than the prefixes computed before.
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
    // In this order: a mutation that begins now changes both before it changes an id.
    if (Atomics.load(ints, Header.Mutex) !== 0) return null;
    this.#requested += count;
    const end = words[Header.HandleEnd]!;
    if (this.#column === null && this.#requested > end && end <= MAX_HANDLES) {
      this.#column = new Float64Array(end).fill(Number.NaN);
    }
    return this.#column;
  }
}
