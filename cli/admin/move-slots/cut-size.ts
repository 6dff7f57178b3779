// Size of the cuts of a move: changes of slots wait for as long as it takes to cut so much.

const FIRST_WORDS = 2 ** 14;
const MIN_WORDS = 2 ** 12;
export const MAX_CUT_WORDS = 2 ** 22;
const GOAL_HELD_MS = 75;
/** The content of a cut may take as long as all else, but no longer than this. */
const MOST_DATA_MS = 500;
/** A cut is at most twice as large as the one before, and at least half as large. */
const MOST_CHANGE = 2;

export class CutSize {
  readonly #most: number;
  #words = FIRST_WORDS;

  /** @param most words of a cut */
  constructor(most: number) {
    this.#most = most;
  }

  /** Words of the next cut. */
  get words(): number {
    return Math.min(this.#words, this.#most);
  }

  /**
   * Sets the size of the next cut after one has ended.
   * @param heldMs for which changes waited
   * @param dataMs of them, for which its content was written and removed
   */
  adapt(heldMs: number, dataMs: number): void {
    // Smaller cuts would not take less of the time that each one takes.
    const fixedMs = Math.max(0, heldMs - dataMs);
    const goalMs = Math.max(GOAL_HELD_MS - fixedMs, Math.min(fixedMs, MOST_DATA_MS));
    // One cut that a busy machine has delayed says little about the next.
    const factor = Math.max(1 / MOST_CHANGE, goalMs / Math.max(1, dataMs));
    const wanted = this.#words * Math.min(MOST_CHANGE, factor);
    this.#words = Math.round(Math.min(MAX_CUT_WORDS, Math.max(MIN_WORDS, wanted)));
  }
}
