// Scores of the vertices that a search has found, for sorting and for the field `text`.

export class TextScores {
  readonly #scores = new Map<number, number>();

  clear(): void {
    this.#scores.clear();
  }

  set(vertex: number, score: number): void {
    this.#scores.set(vertex, score);
  }

  has(vertex: number): boolean {
    return this.#scores.has(vertex);
  }

  /** 0 for a vertex that was not found. */
  of(vertex: number): number {
    return this.#scores.get(vertex) ?? 0;
  }
}
