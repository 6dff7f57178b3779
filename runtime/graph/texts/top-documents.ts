// Keeps the vertices with the greatest scores, in a heap with the least of them on top.

export class TopDocuments {
  readonly #scores: Float64Array;
  readonly #vertices: Uint32Array;
  readonly capacity: number;
  count = 0;
  /** A score has to be greater to be kept. */
  threshold = Number.NEGATIVE_INFINITY;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.#scores = new Float64Array(capacity);
    this.#vertices = new Uint32Array(capacity);
  }

  /** Keeps a vertex if its score is great enough; returns the threshold from then on. */
  add(vertex: number, score: number): number {
    if (score <= this.threshold) return this.threshold;
    if (this.count < this.capacity) {
      this.#siftUp(this.count++, vertex, score);
    } else this.#siftDown(vertex, score);
    if (this.count === this.capacity) this.threshold = this.#scores[0]!;
    return this.threshold;
  }

  /** Vertices and scores, the greatest first; nothing can be added afterwards. */
  sorted(): { readonly vertices: Uint32Array; readonly scores: Float64Array } {
    const order = Array.from({ length: this.count }, (_, at) => at).sort((a, b) => {
      const difference = this.#scores[b]! - this.#scores[a]!;
      return difference !== 0 ? difference : this.#vertices[a]! - this.#vertices[b]!;
    });
    return {
      vertices: Uint32Array.from(order, (at) => this.#vertices[at]!),
      scores: Float64Array.from(order, (at) => this.#scores[at]!),
    };
  }

  #siftUp(from: number, vertex: number, score: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (this.#scores[parent]! <= score) break;
      this.#put(at, this.#vertices[parent]!, this.#scores[parent]!);
      at = parent;
    }
    this.#put(at, vertex, score);
  }

  #siftDown(vertex: number, score: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.count) break;
      if (child + 1 < this.count && this.#scores[child + 1]! < this.#scores[child]!) child++;
      if (this.#scores[child]! >= score) break;
      this.#put(at, this.#vertices[child]!, this.#scores[child]!);
      at = child;
    }
    this.#put(at, vertex, score);
  }

  #put(at: number, vertex: number, score: number): void {
    this.#vertices[at] = vertex;
    this.#scores[at] = score;
  }
}
