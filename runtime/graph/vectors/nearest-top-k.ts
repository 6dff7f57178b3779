// Collects the best k vertices by score, each at most once. On ties, lower handles are better.

import { ScoredHeap } from "../../base/scored-heap.js";

/** Maximum number of vertices without a set for lookups. */
const MAX_WITHOUT_SET = 24;

export interface Neighbor {
  readonly vertex: number;
  readonly score: number;
}

export class NearestTopK {
  /** Maximum number of vertices. */
  readonly limit: number;
  /** Heap with the worst vertex on top. */
  readonly #heap: ScoredHeap;
  /** Set of the vertices; null if a linear search is faster. */
  readonly #vertices: Set<number> | null;

  /** @param limit maximum number of vertices; Infinity for all */
  constructor(limit: number) {
    this.limit = limit;
    this.#heap = new ScoredHeap(true, limit);
    this.#vertices = limit > MAX_WITHOUT_SET ? new Set() : null;
  }

  get count(): number {
    return this.#heap.count;
  }

  /** Vertices with lower scores are not accepted. */
  get threshold(): number {
    if (this.count < this.limit) return Number.NEGATIVE_INFINITY;
    return this.limit === 0 ? Number.POSITIVE_INFINITY : this.#heap.first;
  }

  /** Returns whether a vertex belongs to the best so far. */
  accepts(vertex: number, score: number): boolean {
    if (this.count < this.limit) return true;
    const { first, items } = this.#heap;
    return this.limit > 0 && (first < score || (first === score && items[0]! > vertex));
  }

  has(vertex: number): boolean {
    if (this.#vertices !== null) return this.#vertices.has(vertex);
    const { items, count } = this.#heap;
    for (let position = 0; position < count; position++)
      if (items[position] === vertex) return true;
    return false;
  }

  /** Adds a vertex if it is among the best so far. */
  offer(vertex: number, score: number): void {
    if (!this.accepts(vertex, score) || this.has(vertex)) return;
    this.#vertices?.add(vertex);
    if (this.count < this.limit) this.#heap.push(vertex, score);
    else {
      this.#vertices?.delete(this.#heap.items[0]!);
      this.#heap.replaceTop(vertex, score);
    }
  }

  /** Returns the vertices, best first. */
  sorted(): Neighbor[] {
    const { items, scores, count } = this.#heap;
    const neighbors: Neighbor[] = [];
    for (let position = 0; position < count; position++) {
      neighbors.push({ vertex: items[position]!, score: scores[position]! });
    }
    return neighbors.sort((a, b) => b.score - a.score || a.vertex - b.vertex);
  }
}
