// Measures for how long a record has not changed, by the monotonic clock of the observer. Time
// without responses of the engine does not count: its own servers may be electing a leader while
// the holder is alive.

import type { Reading } from "./leadership.js";

/**
 * Period after a takeover in which a silent holder whose connection is alive is replaced only after
 * 2 `ttl`: it may only have a slow connection to the engine. Each takeover that follows soon after
 * another doubles the period.
 */
const MIN_CALM_MS = 10_000;
const MAX_CALM_MS = 300_000;

export class SilenceWatch {
  readonly #ttlMs: number;
  readonly #maxStepMs: number;
  #revision: string | null = null;
  /** Epoch of the last record; NaN: none. */
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

  /** Time for which the record has not changed. */
  get silentMs(): number {
    return this.#silentMs;
  }

  /**
   * Returns whether another member may replace the holder.
   * @param isHeard true if the connection of the holder shows that it is alive
   */
  mayReplaceHolder(now: number, delayMs: number, isHeard: boolean): boolean {
    const isCalm = now - this.#takenOverAtMs >= this.#calmMs;
    return this.#silentMs >= (isHeard && !isCalm ? 2 : 1) * this.#ttlMs + delayMs;
  }

  #takenOver(now: number): void {
    const isFrequent = now - this.#takenOverAtMs < 2 * this.#calmMs;
    this.#calmMs = isFrequent ? Math.min(MAX_CALM_MS, 2 * this.#calmMs) : MIN_CALM_MS;
    this.#takenOverAtMs = now;
  }
}
