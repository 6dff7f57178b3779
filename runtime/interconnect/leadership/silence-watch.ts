// Measures for how long a record has not changed, by the monotonic clock of the observer. Only time
// in which the engine answers counts: an election of its own servers is no death of the holder.

import type { Reading } from "./leadership.js";

/**
 * For 10 s after a takeover, or up to 5 minutes after frequent ones, a holder that is still heard
 * elsewhere is replaced only after twice the time of silence: it may just reach the engine slowly.
 */
const MIN_CALM_MS = 10_000;
const MAX_CALM_MS = 300_000;

export class SilenceWatch {
  readonly #ttlMs: number;
  readonly #maxStepMs: number;
  #revision: string | null = null;
  /** Of the last record; NaN: there was none. */
  #epoch = Number.NaN;
  #silentMs = 0;
  #heardAtMs = 0;
  #takenOverAtMs = Number.NEGATIVE_INFINITY;
  #calmMs = MIN_CALM_MS / 2;

  /** @param pollMs usual time between two readings */
  constructor(ttlMs: number, pollMs: number) {
    this.#ttlMs = ttlMs;
    this.#maxStepMs = 2 * pollMs;
  }

  heard(now: number, { revision, record }: Reading): void {
    if (revision === this.#revision) {
      this.#silentMs += Math.min(now - this.#heardAtMs, this.#maxStepMs);
    } else this.#silentMs = 0;
    this.#revision = revision;
    this.#heardAtMs = now;
    const epoch = record?.epoch ?? Number.NaN;
    if (epoch > this.#epoch) this.#takenOver(now);
    this.#epoch = epoch;
  }

  /** For how long the record has not changed. */
  get silentMs(): number {
    return this.#silentMs;
  }

  /**
   * Returns whether the holder may be replaced.
   * @param isHeard whether the holder lives, as its connection shows
   */
  isOver(now: number, delayMs: number, isHeard: boolean): boolean {
    const isCalm = now - this.#takenOverAtMs >= this.#calmMs;
    return this.#silentMs >= (isHeard && !isCalm ? 2 : 1) * this.#ttlMs + delayMs;
  }

  #takenOver(now: number): void {
    const isFrequent = now - this.#takenOverAtMs < 2 * this.#calmMs;
    this.#calmMs = isFrequent ? Math.min(MAX_CALM_MS, 2 * this.#calmMs) : MIN_CALM_MS;
    this.#takenOverAtMs = now;
  }
}
