// Keeps requests from a back-end that answers its health checks but not its requests, as one whose
// plugins hang does. A time-out, or five answers of 5xx in a row, take it out for 1, 2, 4 … s. Then
// one request tries it; once that is answered it takes its share again, little by little.
//
//   well ──time-out, 5 × 5xx──► ejected ──time is over──► on trial ──answer──► well, slow at first
//                                  ▲                          │
//                                  └───────────failure────────┘

import {
  EJECT_AFTER_CONSECUTIVE_ERRORS,
  FIRST_EJECTION_MS,
  MAX_EJECTION_MS,
  RETRYABLE_TRIAL_WAIT_MS,
  SLOW_START_MS,
} from "../base/limits.js";

/** How much more a request costs right after the trial. */
const SLOW_START_FACTOR = 4;

export class OutlierDetector {
  readonly #onChange: (change: string) => void;
  /** Answers of 5xx since the last good one. */
  #errors = 0;
  /** Since it was last well for longer than the longest ejection. */
  #ejections = 0;
  /** 0 while it is well. */
  #ejectedUntilMs = 0;
  #recoveredMs = Number.NEGATIVE_INFINITY;
  #isHalfOpen = false;

  /** @param onChange is told when it is taken out, for how long, and when it has recovered */
  constructor(onChange: (change: string) => void = () => {}) {
    this.#onChange = onChange;
  }

  /** It gets no requests but those that try it. */
  get isEjected(): boolean {
    return this.#ejectedUntilMs > 0;
  }

  /**
   * Whether a request may try it now.
   * @param isRepeatable nothing is lost when the request fails; others wait a while for such a one
   */
  isHalfOpenDue(isRepeatable: boolean): boolean {
    if (this.#ejectedUntilMs === 0 || this.#isHalfOpen) return false;
    const patienceMs = isRepeatable ? 0 : RETRYABLE_TRIAL_WAIT_MS;
    return performance.now() >= this.#ejectedUntilMs + patienceMs;
  }

  /** By how much its costs count more, while it has just recovered. */
  get costFactor(): number {
    const left = 1 - (performance.now() - this.#recoveredMs) / SLOW_START_MS;
    return left > 0 ? 1 + (SLOW_START_FACTOR - 1) * left : 1;
  }

  /** A request was sent to it. */
  begun(): void {
    if (this.#ejectedUntilMs > 0) this.#isHalfOpen = true;
  }

  /** A request has left it, whatever became of it. */
  ended(): void {
    this.#isHalfOpen = false;
  }

  /** @param isServerError the status was 5xx, but for those that tell of load */
  answered(isServerError: boolean): void {
    if (isServerError) {
      if (++this.#errors >= EJECT_AFTER_CONSECUTIVE_ERRORS || this.isEjected)
        this.#eject("answers with errors");
      return;
    }
    this.#errors = 0;
    if (this.#ejectedUntilMs === 0) return;
    this.#ejectedUntilMs = 0;
    this.#recoveredMs = performance.now();
    this.#onChange("answers requests again");
  }

  timedOut(): void {
    this.#eject("does not answer in time");
  }

  #eject(why: string): void {
    const now = performance.now();
    // Several requests that hang together are one failure.
    if (now < this.#ejectedUntilMs) return;
    const isRelapse = this.#ejectedUntilMs > 0 || now - this.#recoveredMs < MAX_EJECTION_MS;
    this.#ejections = isRelapse ? this.#ejections + 1 : 0;
    const ms = Math.min(MAX_EJECTION_MS, FIRST_EJECTION_MS * 2 ** this.#ejections);
    this.#ejectedUntilMs = now + ms;
    this.#onChange(`${why}: it gets no requests for ${ms / 1000} s`);
    this.#errors = 0;
  }
}
