// Adapts the size of the cuts of a slot move to the time for which each cut blocks changes.

const FIRST_WORDS = 2 ** 14;
const MIN_WORDS = 2 ** 12;
export const MAX_CUT_WORDS = 2 ** 22;
const TARGET_HELD_MS = 75;
/** Limit of the time for content, which may otherwise be as long as the fixed costs of a cut. */
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

  /**
   * Sets the size of the next cut from the times of the last one.
   * @param heldMs how long changes waited
   * @param dataMs the part of it that writing and removing the content took
   */
  adapt(heldMs: number, dataMs: number): void {
    // The fixed costs of a cut do not depend on its size.
    const fixedMs = Math.max(0, heldMs - dataMs);
    const targetMs = Math.max(TARGET_HELD_MS - fixedMs, Math.min(fixedMs, MAX_DATA_MS));
    // Limited, because a busy machine may have delayed this cut alone.
    const factor = Math.max(1 / MAX_CHANGE, targetMs / Math.max(1, dataMs));
    const words = this.#words * Math.min(MAX_CHANGE, factor);
    this.#words = Math.round(Math.min(MAX_CUT_WORDS, Math.max(MIN_WORDS, words)));
  }
}
