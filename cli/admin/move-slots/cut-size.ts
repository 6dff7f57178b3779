// Adapts the size of the cuts of a slot move to the time for which each cut blocks changes: content
// takes as long as the fixed costs, but at least 50 ms, which users hardly notice, at most 500.

/** Small, because an instance executes its code for moves slowly at first. */
const FIRST_WORDS = 2 ** 13;
const MIN_WORDS = 2 ** 12;
export const MAX_CUT_WORDS = 2 ** 22;
const MIN_DATA_MS = 50;
const MAX_DATA_MS = 500;
/** Maximum ratio of the sizes of consecutive cuts. */
const MAX_CHANGE = 2;

export class CutSize {
  readonly #maxWords: number;
  #words = FIRST_WORDS;

  /** @param maxWords words of a cut */
  constructor(maxWords: number) {
    this.#maxWords = maxWords;
  }

  /** Size of the next cut in words. */
  get words(): number {
    return Math.min(this.#words, this.#maxWords);
  }

  /** Begins again with a small cut, because the next one has another source or target. */
  restart(): void {
    this.#words = Math.min(this.#words, FIRST_WORDS);
  }

  /**
   * Sets the size of the next cut from the times of the last one.
   * @param words content of the last cut, which may be more or less than `words` was
   * @param heldMs how long changes waited
   * @param dataMs the part of it that writing and removing the content took
   */
  adapt(words: number, heldMs: number, dataMs: number): void {
    // The fixed costs of a cut do not depend on its size.
    const fixedMs = Math.max(0, heldMs - dataMs);
    const targetMs = Math.min(MAX_DATA_MS, Math.max(MIN_DATA_MS, fixedMs));
    // The short time of little content says nothing about that of much.
    if (dataMs <= targetMs && words * MAX_CHANGE < this.#words) return;
    const targetWords = (words * targetMs) / Math.max(1, dataMs);
    // Limited, because a busy machine may have delayed this cut alone.
    const next = Math.min(
      this.#words * MAX_CHANGE,
      Math.max(this.#words / MAX_CHANGE, targetWords),
    );
    this.#words = Math.round(Math.min(MAX_CUT_WORDS, Math.max(MIN_WORDS, next)));
  }
}
