// Scores of the vertices that a search has found, for sorting and for the field `text`.

/** How a vertex matches. */
export interface MatchDetails {
  /** Number of matching words and phrases. */
  readonly words: number;
  /** Score of each key alone. */
  readonly keys: ReadonlyMap<string, number>;
}

export class TextScores {
  readonly #scores = new Map<number, number>();
  /** Reads the match details of a vertex from its texts; null before the search. */
  details: ((vertex: number) => MatchDetails) | null = null;
  /** Cached details of one vertex, because an expression may read them several times. */
  #vertex = 0;
  #match: MatchDetails | null = null;

  clear(): void {
    this.#scores.clear();
    this.#match = null;
  }

  set(vertex: number, score: number): void {
    this.#scores.set(vertex, score);
  }

  has(vertex: number): boolean {
    return this.#scores.has(vertex);
  }

  /** Number of words of the search that a vertex contains; 0 if it was not found. */
  wordsOf(vertex: number): number {
    return this.#detailsOf(vertex)?.words ?? 0;
  }

  /** Score of one key of a vertex; 0 if it was not found. */
  scoreOf(vertex: number, key: string): number {
    return this.#detailsOf(vertex)?.keys.get(key) ?? 0;
  }

  #detailsOf(vertex: number): MatchDetails | null {
    if (this.details === null || !this.has(vertex)) return null;
    if (this.#match === null || this.#vertex !== vertex) {
      this.#match = this.details(vertex);
      this.#vertex = vertex;
    }
    return this.#match;
  }

  /** Score of a vertex; 0 if it was not found. */
  of(vertex: number): number {
    return this.#scores.get(vertex) ?? 0;
  }
}
