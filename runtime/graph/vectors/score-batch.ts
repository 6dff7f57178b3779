// Vertices whose scores a probe computes together. A thread sorts one batch at a time, so all its
// probes share the object.

/** Maximum number of vertices; others are scored one by one. */
const MAX_BATCH = 256;
/** Places of the table, a power of two: of two vertices of one place the later is known. */
const PLACES = 4 * MAX_BATCH;

class ScoreBatch {
  readonly vertices = new Uint32Array(MAX_BATCH);
  /** Their sequences before their slots were read. */
  readonly moments = new Int32Array(MAX_BATCH);
  readonly slots = new Uint32Array(MAX_BATCH);
  readonly scores = new Float64Array(MAX_BATCH);
  /** Position in the batch plus 1, by place of the vertex. */
  readonly #positions = new Uint16Array(PLACES);
  #count = 0;

  /** Adds a vertex, whose score is not known yet. */
  add(vertex: number, moment: number, slot: number): void {
    const at = this.#count++;
    this.vertices[at] = vertex;
    this.moments[at] = moment;
    this.slots[at] = slot;
  }

  get length(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count === MAX_BATCH;
  }

  /** Makes the score at a position known. */
  keep(at: number): void {
    this.#positions[this.vertices[at]! & (PLACES - 1)] = at + 1;
  }

  /** Returns the position of a vertex whose score is known; -1 for any other. */
  find(vertex: number): number {
    const at = this.#positions[vertex & (PLACES - 1)]! - 1;
    return at >= 0 && this.vertices[at] === vertex ? at : -1;
  }

  clear(): void {
    for (let at = 0; at < this.#count; at++) {
      this.#positions[this.vertices[at]! & (PLACES - 1)] = 0;
    }
    this.#count = 0;
  }
}

export const scoreBatch = new ScoreBatch();
