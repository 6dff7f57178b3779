// Top-k of scored vertices, each at most once. The heap has the worst on top; on ties the lower
// handle is better.

const FIRST_PLACES = 64;

export interface Neighbor {
  readonly vertex: number;
  readonly score: number;
}

export class NearestTopK {
  /** Maximum number of vertices kept. */
  readonly limit: number;
  #vertices: Uint32Array;
  #scores: Float64Array;
  readonly #known = new Set<number>();
  #count = 0;

  /** @param limit maximum number of vertices kept; Infinity for all */
  constructor(limit: number) {
    const places = Math.min(limit, FIRST_PLACES);
    this.limit = limit;
    this.#vertices = new Uint32Array(places);
    this.#scores = new Float64Array(places);
  }

  get count(): number {
    return this.#count;
  }

  /** Scores below this cannot enter the result any more. */
  get threshold(): number {
    if (this.#count < this.limit) return Number.NEGATIVE_INFINITY;
    return this.limit === 0 ? Number.POSITIVE_INFINITY : this.#scores[0]!;
  }

  /** Returns whether a vertex would be kept. */
  accepts(vertex: number, score: number): boolean {
    if (this.#count < this.limit) return true;
    return this.limit > 0 && this.#isWorse(0, vertex, score);
  }

  has(vertex: number): boolean {
    return this.#known.has(vertex);
  }

  /** Keeps a vertex if it is among the best so far and not kept already. */
  offer(vertex: number, score: number): void {
    if (!this.accepts(vertex, score) || this.has(vertex)) return;
    this.#known.add(vertex);
    if (this.#count < this.limit) this.#rise(vertex, score);
    else {
      this.#known.delete(this.#vertices[0]!);
      this.#sink(vertex, score);
    }
  }

  /** Returns all kept vertices, best first. */
  sorted(): Neighbor[] {
    const all = Array.from({ length: this.#count }, (_, place) => ({
      vertex: this.#vertices[place]!,
      score: this.#scores[place]!,
    }));
    return all.sort((a, b) => b.score - a.score || a.vertex - b.vertex);
  }

  /** Returns whether the entry at a heap position is worse. */
  #isWorse(place: number, vertex: number, score: number): boolean {
    const kept = this.#scores[place]!;
    return kept < score || (kept === score && this.#vertices[place]! > vertex);
  }

  #rise(vertex: number, score: number): void {
    if (this.#count === this.#vertices.length) this.#extend();
    let place = this.#count++;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (this.#isWorse(parent, vertex, score)) break;
      this.#move(parent, place);
      place = parent;
    }
    this.#put(place, vertex, score);
  }

  #sink(vertex: number, score: number): void {
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= this.#count) break;
      const other = child + 1;
      if (other < this.#count) {
        if (this.#isWorse(other, this.#vertices[child]!, this.#scores[child]!)) child = other;
      }
      if (!this.#isWorse(child, vertex, score)) break;
      this.#move(child, place);
      place = child;
    }
    this.#put(place, vertex, score);
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#vertices[from]!, this.#scores[from]!);
  }

  #put(place: number, vertex: number, score: number): void {
    this.#vertices[place] = vertex;
    this.#scores[place] = score;
  }

  #extend(): void {
    const places = Math.min(this.limit, this.#vertices.length * 2);
    const vertices = new Uint32Array(places);
    const scores = new Float64Array(places);
    vertices.set(this.#vertices);
    scores.set(this.#scores);
    this.#vertices = vertices;
    this.#scores = scores;
  }
}
