// Top-k of scored vertices, each at most once. On ties the lower handle is better.

import { ScoredHeap } from "../../base/scored-heap.js";

export interface Neighbor {
  readonly vertex: number;
  readonly score: number;
}

export class NearestTopK {
  /** Maximum number of vertices kept. */
  readonly limit: number;
  /** The worst on top. */
  readonly #heap = new ScoredHeap("lowest", true);
  readonly #known = new Set<number>();

  /** @param limit maximum number of vertices kept; Infinity for all */
  constructor(limit: number) {
    this.limit = limit;
  }

  get count(): number {
    return this.#heap.count;
  }

  /** Scores below this cannot enter the result any more. */
  get threshold(): number {
    if (this.count < this.limit) return Number.NEGATIVE_INFINITY;
    return this.limit === 0 ? Number.POSITIVE_INFINITY : this.#heap.first;
  }

  /** Returns whether a vertex would be kept. */
  accepts(vertex: number, score: number): boolean {
    if (this.count < this.limit) return true;
    const { first, items } = this.#heap;
    return this.limit > 0 && (first < score || (first === score && items[0]! > vertex));
  }

  has(vertex: number): boolean {
    return this.#known.has(vertex);
  }

  /** Keeps a vertex if it is among the best so far and not kept already. */
  offer(vertex: number, score: number): void {
    if (!this.accepts(vertex, score) || this.has(vertex)) return;
    this.#known.add(vertex);
    if (this.count < this.limit) this.#heap.push(vertex, score);
    else {
      this.#known.delete(this.#heap.items[0]!);
      this.#heap.replaceTop(vertex, score);
    }
  }

  /** Returns all kept vertices, best first. */
  sorted(): Neighbor[] {
    const { items, scores, count } = this.#heap;
    const all = Array.from({ length: count }, (_, place) => ({
      vertex: items[place]!,
      score: scores[place]!,
    }));
    return all.sort((a, b) => b.score - a.score || a.vertex - b.vertex);
  }
}
