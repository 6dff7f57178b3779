// Which requests may be sent to a second back-end while the first one may still be at work: GETs of
// plugins that engines have called readonly in an answer before. And how soon, and how often: after
// the time in which 95 % of a plugin's answers come, and for a tenth of all requests at most, so
// that a slow matrix is not given twice the work.

import { MAX_RETRYABLE_PLUGINS, RETRY_BUDGET_BURST, RETRY_BUDGET_RATIO } from "../base/limits.js";
import type { ForwardedRequest } from "./forwarded-request.js";

const QUANTILE = 0.95;
/** Of the estimate, each time. */
const STEP = 0.05;
const MIN_STEP_MS = 0.05;

export class RetryableRequests {
  /** By path: the estimate of the quantile, in milliseconds. */
  readonly #slowMs = new Map<string, number>();
  #budget = RETRY_BUDGET_BURST;

  has({ method, path }: ForwardedRequest): boolean {
    return method === "GET" && this.#slowMs.has(path);
  }

  /** After how many milliseconds an answer is late. */
  slowMs({ path }: ForwardedRequest): number {
    return this.#slowMs.get(path) ?? Number.POSITIVE_INFINITY;
  }

  /** A request was sent for the first time. */
  sent(): void {
    this.#budget = Math.min(RETRY_BUDGET_BURST, this.#budget + RETRY_BUDGET_RATIO);
  }

  /** Whether one may be sent once more; it then counts as sent. */
  spend(): boolean {
    if (this.#budget < 1) return false;
    this.#budget--;
    return true;
  }

  /** A back-end has answered with success. */
  answered({ path }: ForwardedRequest, isReadonly: boolean, ms: number): void {
    const slowMs = this.#slowMs.get(path);
    if (!isReadonly) {
      if (slowMs !== undefined) this.#slowMs.delete(path);
      return;
    }
    if (slowMs === undefined) {
      if (this.#slowMs.size < MAX_RETRYABLE_PLUGINS) this.#slowMs.set(path, 2 * ms);
      return;
    }
    const step = Math.max(MIN_STEP_MS, slowMs * STEP);
    const change = ms > slowMs ? step * QUANTILE : -step * (1 - QUANTILE);
    this.#slowMs.set(path, Math.max(MIN_STEP_MS, slowMs + change));
  }
}
