// Collects the best vertices of a search in a min-heap of scores.

/** Vertices with their scores in descending order. */
export interface FoundDocuments {
  readonly count: number;
  readonly vertices: Uint32Array;
  readonly scores: Float64Array;
  /** Versions of their texts. */
  readonly versions: Uint32Array;
}

/** Initial size of the arrays. */
const INITIAL_CAPACITY = 1024;

export class TopDocuments {
  /** Maximum number of vertices, possibly far more than there are. */
  readonly capacity: number;
  count = 0;
  /** Score that further vertices must exceed. */
  threshold = Number.NEGATIVE_INFINITY;
  #scores: Float64Array;
  #vertices: Uint32Array;
  #versions: Uint32Array;

  constructor(capacity: number) {
    this.capacity = capacity;
    const size = Math.min(capacity, INITIAL_CAPACITY);
    this.#scores = new Float64Array(size);
    this.#vertices = new Uint32Array(size);
    this.#versions = new Uint32Array(size);
    if (capacity === 0) this.threshold = Number.POSITIVE_INFINITY;
  }

  /** Adds a vertex if its score exceeds the threshold; returns the new threshold. */
  add(vertex: number, score: number, version = 0): number {
    if (score <= this.threshold) return this.threshold;
    if (this.count === this.#scores.length && this.count < this.capacity) this.#grow();
    if (this.count < this.capacity) this.#siftUp(this.count++, vertex, score, version);
    else this.#siftDown(vertex, score, version);
    if (this.count === this.capacity) this.threshold = this.#scores[0]!;
    return this.threshold;
  }

  /** Returns the vertices sorted by score; call after the last `add`. */
  sorted(): FoundDocuments {
    const { count } = this;
    const order = new Uint32Array(count);
    for (let at = 0; at < count; at++) order[at] = at;
    order.sort((a, b) => {
      const difference = this.#scores[b]! - this.#scores[a]!;
      return difference !== 0 ? difference : this.#vertices[a]! - this.#vertices[b]!;
    });
    const vertices = new Uint32Array(count);
    const scores = new Float64Array(count);
    const versions = new Uint32Array(count);
    for (let rank = 0; rank < count; rank++) {
      const at = order[rank]!;
      vertices[rank] = this.#vertices[at]!;
      scores[rank] = this.#scores[at]!;
      versions[rank] = this.#versions[at]!;
    }
    return { count, vertices, scores, versions };
  }

  #grow(): void {
    const size = Math.min(this.capacity, this.count * 2);
    const [scores, vertices, versions] = [this.#scores, this.#vertices, this.#versions];
    this.#scores = new Float64Array(size);
    this.#vertices = new Uint32Array(size);
    this.#versions = new Uint32Array(size);
    this.#scores.set(scores);
    this.#vertices.set(vertices);
    this.#versions.set(versions);
  }

  #siftUp(from: number, vertex: number, score: number, version: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (this.#scores[parent]! <= score) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, vertex, score, version);
  }

  #siftDown(vertex: number, score: number, version: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.count) break;
      if (child + 1 < this.count && this.#scores[child + 1]! < this.#scores[child]!) child++;
      if (this.#scores[child]! >= score) break;
      this.#move(child, at);
      at = child;
    }
    this.#put(at, vertex, score, version);
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#vertices[from]!, this.#scores[from]!, this.#versions[from]!);
  }

  #put(at: number, vertex: number, score: number, version: number): void {
    this.#vertices[at] = vertex;
    this.#scores[at] = score;
    this.#versions[at] = version;
  }
}
