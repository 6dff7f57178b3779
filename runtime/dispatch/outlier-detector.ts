// Circuit breaker: ejects a back-end that passes health checks but fails or times out on requests.
// A timeout, or five consecutive 5xx, eject it for 1, 2, 4 … s. Then one trial request is admitted;
// its success closes the breaker, with a slow start.
//
//   up ──timeout, 5 × 5xx──► ejected ──time elapsed──► half-open ──success──► up, slow start
//                               ▲                          │
//                               └───────────failure────────┘

import { Backoff } from "../base/backoff.js";
import {
  EJECT_AFTER_CONSECUTIVE_ERRORS,
  FIRST_EJECTION_MS,
  MAX_EJECTION_MS,
  RETRYABLE_TRIAL_WAIT_MS,
  SLOW_START_MS,
} from "../base/limits.js";

/** Cost factor right after recovery. */
const SLOW_START_FACTOR = 4;

export class OutlierDetector {
  readonly #onChange: (change: string) => void;
  /** Consecutive 5xx. */
  #errors = 0;
  /** Grows with each ejection; reset after a healthy period longer than the longest one. */
  readonly #ejection = new Backoff({ minMs: FIRST_EJECTION_MS, maxMs: MAX_EJECTION_MS });
  /** 0 while up. */
  #ejectedUntilMs = 0;
  #recoveredMs = Number.NEGATIVE_INFINITY;
  #isHalfOpen = false;

  /** @param onChange called on ejection, with its duration, and on recovery */
  constructor(onChange: (change: string) => void = () => {}) {
    this.#onChange = onChange;
  }

  /** True while only trial requests are admitted. */
  get isEjected(): boolean {
    return this.#ejectedUntilMs > 0;
  }

  /**
   * Returns whether a request may be the trial.
   * @param isRetryable losing it is harmless; other requests qualify only after a further delay
   */
  isHalfOpenDue(isRetryable: boolean): boolean {
    if (this.#ejectedUntilMs === 0 || this.#isHalfOpen) return false;
    const extraDelayMs = isRetryable ? 0 : RETRYABLE_TRIAL_WAIT_MS;
    return performance.now() >= this.#ejectedUntilMs + extraDelayMs;
  }

  /** Cost factor of the slow start. */
  get costFactor(): number {
    const remaining = 1 - (performance.now() - this.#recoveredMs) / SLOW_START_MS;
    return remaining > 0 ? 1 + (SLOW_START_FACTOR - 1) * remaining : 1;
  }

  /** Records that a request was sent. */
  recordRequest(): void {
    if (this.#ejectedUntilMs > 0) this.#isHalfOpen = true;
  }

  /** Records that a request ended, in any way. */
  recordEnd(): void {
    this.#isHalfOpen = false;
  }

  /** @param isServerError status 5xx, except reports of overload */
  recordResponse(isServerError: boolean): void {
    if (isServerError) {
      if (++this.#errors >= EJECT_AFTER_CONSECUTIVE_ERRORS || this.isEjected)
        this.#eject("returned consecutive errors");
      return;
    }
    this.#errors = 0;
    if (this.#ejectedUntilMs === 0) return;
    this.#ejectedUntilMs = 0;
    this.#recoveredMs = performance.now();
    this.#onChange("recovered");
  }

  recordTimeout(): void {
    this.#eject("timed out");
  }

  #eject(reason: string): void {
    const now = performance.now();
    // Several requests that time out together count as one failure.
    if (now < this.#ejectedUntilMs) return;
    const isRelapse = this.#ejectedUntilMs > 0 || now - this.#recoveredMs < MAX_EJECTION_MS;
    if (!isRelapse) this.#ejection.reset();
    const ms = this.#ejection.fail();
    this.#ejectedUntilMs = now + ms;
    this.#onChange(`${reason}: ejected for ${ms / 1000} s`);
    this.#errors = 0;
  }
}
