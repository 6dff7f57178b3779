// Collects the vertices that a search finds, with their scores: the best ones in a heap with the
// least of them on top, or all.

/** Vertices with their scores, the greatest first. */
export interface FoundDocuments {
  readonly count: number;
  readonly vertices: Uint32Array;
  readonly scores: Float64Array;
  /** Versions of the texts that were found. */
  readonly versions: Uint32Array;
}

export class TopDocuments {
  /** Infinity: all are kept. */
  readonly capacity: number;
  count = 0;
  /** A score has to be greater to be kept. */
  threshold = Number.NEGATIVE_INFINITY;
  #scores: Float64Array;
  #vertices: Uint32Array;
  #versions: Uint32Array;

  constructor(capacity: number) {
    const size = capacity === Number.POSITIVE_INFINITY ? FIRST_OF_ALL : capacity;
    this.capacity = capacity;
    this.#scores = new Float64Array(size);
    this.#vertices = new Uint32Array(size);
    this.#versions = new Uint32Array(size);
    if (capacity === 0) this.threshold = Number.POSITIVE_INFINITY;
  }

  /** Keeps a vertex if its score is great enough; returns the threshold from then on. */
  add(vertex: number, score: number, version = 0): number {
    if (score <= this.threshold) return this.threshold;
    if (this.capacity === Number.POSITIVE_INFINITY) this.#append(vertex, score, version);
    else if (this.count < this.capacity) this.#siftUp(this.count++, vertex, score, version);
    else this.#siftDown(vertex, score, version);
    if (this.count === this.capacity) this.threshold = this.#scores[0]!;
    return this.threshold;
  }

  /** Returns what was kept in the order it was added, if all are kept. */
  unsorted(): FoundDocuments {
    const { count } = this;
    return {
      count,
      vertices: this.#vertices.subarray(0, count),
      scores: this.#scores.subarray(0, count),
      versions: this.#versions.subarray(0, count),
    };
  }

  /** Nothing can be added afterwards. */
  sorted(): FoundDocuments {
    const order = Uint32Array.from({ length: this.count }, (_, at) => at).sort((a, b) => {
      const difference = this.#scores[b]! - this.#scores[a]!;
      return difference !== 0 ? difference : this.#vertices[a]! - this.#vertices[b]!;
    });
    return {
      count: this.count,
      vertices: order.map((at) => this.#vertices[at]!),
      scores: Float64Array.from(order, (at) => this.#scores[at]!),
      versions: order.map((at) => this.#versions[at]!),
    };
  }

  #append(vertex: number, score: number, version: number): void {
    if (this.count === this.#scores.length) {
      const size = this.count * 2;
      const [scores, vertices, versions] = [this.#scores, this.#vertices, this.#versions];
      this.#scores = new Float64Array(size);
      this.#vertices = new Uint32Array(size);
      this.#versions = new Uint32Array(size);
      this.#scores.set(scores);
      this.#vertices.set(vertices);
      this.#versions.set(versions);
    }
    this.#put(this.count++, vertex, score, version);
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
const FIRST_OF_ALL = 1024;
