// Vertices that a probe scores together. A thread uses one batch at a time, so all its probes share
// the object.

import { SEQUENCE_WORDS } from "../memory/layout.js";

/** Maximum number of vertices in a batch. Others are scored one by one. */
const MAX_BATCH = 256;
/** Size of the hash table, a power of two. On a collision, it contains the later vertex. */
const TABLE_SIZE = 4 * MAX_BATCH;

class ScoreBatch {
  readonly vertices = new Uint32Array(MAX_BATCH);
  /** Sequences of the vertices before their slots were read. */
  readonly sequences = new Int32Array(MAX_BATCH);
  readonly slots = new Uint32Array(MAX_BATCH);
  readonly scores = new Float64Array(MAX_BATCH);
  /** Hash table: position in the batch plus 1, by vertex. */
  readonly #positions = new Uint16Array(TABLE_SIZE);
  /** Number of vertices in the batch. */
  length = 0;

  /** Moves a vertex to a lower position. */
  move(from: number, to: number): void {
    this.vertices[to] = this.vertices[from]!;
    this.sequences[to] = this.sequences[from]!;
    this.slots[to] = this.slots[from]!;
    this.scores[to] = this.scores[from]!;
  }

  /** Removes vertices whose sequences have changed since they were recorded. */
  dropChanged(sequence: Int32Array): void {
    const { vertices, sequences, length } = this;
    let count = 0;
    for (let at = 0; at < length; at++) {
      if (Atomics.load(sequence, vertices[at]! * SEQUENCE_WORDS) !== sequences[at]) continue;
      if (count < at) this.move(at, count);
      count++;
    }
    this.length = count;
  }

  /** Adds all vertices to the hash table. */
  index(): void {
    const { vertices, length } = this;
    for (let at = 0; at < length; at++) this.#positions[vertices[at]! & (TABLE_SIZE - 1)] = at + 1;
  }

  /** Returns the position of a vertex; -1 if its score is not in the batch. */
  find(vertex: number): number {
    const at = this.#positions[vertex & (TABLE_SIZE - 1)]! - 1;
    return at >= 0 && this.vertices[at] === vertex ? at : -1;
  }

  clear(): void {
    for (let at = 0; at < this.length; at++) {
      this.#positions[this.vertices[at]! & (TABLE_SIZE - 1)] = 0;
    }
    this.length = 0;
  }
}

export const scoreBatch = new ScoreBatch();
