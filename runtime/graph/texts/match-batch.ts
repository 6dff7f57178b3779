// Collects matches, to report them in batches.

import { type DocumentScorer, WINDOW } from "./document-scorer.js";
import type { TakeMatches } from "./segment-search.js";

export class MatchBatch {
  readonly #matches: TakeMatches | null;
  readonly #documents: Uint32Array;
  #count = 0;

  constructor(matches: TakeMatches | null) {
    this.#matches = matches;
    this.#documents = new Uint32Array(matches === null ? 0 : WINDOW);
  }

  add(document: number): void {
    if (this.#matches === null) return;
    this.#documents[this.#count++] = document;
    if (this.#count === WINDOW) this.flush();
  }

  flush(): void {
    this.#matches?.(this.#documents, this.#count);
    this.#count = 0;
  }
}

/** Returns whether an excluded word or phrase occurs in a document; documents must ascend. */
export function hasAny(excluded: readonly DocumentScorer[], document: number): boolean {
  for (const scorer of excluded) if (scorer.seek(document) === document) return true;
  return false;
}
