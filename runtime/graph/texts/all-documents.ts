// Collects all vertices that a search finds, with their scores, in the order they are found.

const MIN_CAPACITY = 64;

export class AllDocuments {
  count = 0;
  #vertices = new Uint32Array(0);
  #scores = new Float64Array(0);

  /** Makes room for more vertices, so that they are added without copies. */
  reserve(added: number): void {
    const needed = this.count + added;
    if (needed <= this.#vertices.length) return;
    const size = Math.max(needed, MIN_CAPACITY);
    const [vertices, scores] = [this.#vertices, this.#scores];
    this.#vertices = new Uint32Array(size);
    this.#scores = new Float64Array(size);
    this.#vertices.set(vertices.subarray(0, this.count));
    this.#scores.set(scores.subarray(0, this.count));
  }

  add(vertex: number, score: number): void {
    if (this.count === this.#vertices.length) this.reserve(this.count + 1);
    this.#vertices[this.count] = vertex;
    this.#scores[this.count++] = score;
  }

  /** Removes the vertices that do not pass. */
  keep(isKept: (vertex: number) => boolean): void {
    const { count } = this;
    this.count = 0;
    for (let at = 0; at < count; at++) {
      const vertex = this.#vertices[at]!;
      if (isKept(vertex)) this.add(vertex, this.#scores[at]!);
    }
  }

  get vertices(): Uint32Array {
    return this.#vertices.subarray(0, this.count);
  }

  get scores(): Float64Array {
    return this.#scores.subarray(0, this.count);
  }
}
