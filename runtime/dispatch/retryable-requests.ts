// Decides which requests are retryable while the first back-end may still execute them: GETs of
// plugins that engines have reported as readonly. Tracks the 95th percentile of each plugin's
// latency as the hedging delay, and a retry budget, so that a slow matrix does not get twice the
// load: a tenth of all requests, and one request to all partitions per second.

import { MAX_RETRYABLE_PLUGINS, RETRY_BUDGET_BURST, RETRY_BUDGET_RATIO } from "../base/limits.js";
import { RateLimiter } from "../base/token-bucket.js";
import type { ForwardedRequest } from "./forwarded-request.js";

const QUANTILE = 0.95;
/** Step of the estimator, relative to the estimate. */
const STEP_RATIO = 0.05;
const MIN_STEP_MS = 0.05;

export class RetryableRequests {
  /** Estimated percentile by path, in milliseconds. */
  readonly #slowMs = new Map<string, number>();
  readonly #budget: RateLimiter;

  /**
   * @param width partitions of the matrix: the budget allows a retry in all of them each second,
   * even if waiting clients send no further requests that would refill it
   */
  constructor(width: number) {
    this.#budget = new RateLimiter(Math.max(RETRY_BUDGET_BURST, width));
  }

  /**
   * Returns whether a request changes nothing. A POST counts as a change until its plugin has
   * responded as readonly.
   */
  isQuery(request: ForwardedRequest): boolean {
    return request.method === "GET" || this.isReadonly(request);
  }

  /** Returns whether its plugin has responded as readonly. */
  isReadonly({ path }: ForwardedRequest): boolean {
    return this.#slowMs.has(path);
  }

  has(request: ForwardedRequest): boolean {
    return request.method === "GET" && this.isReadonly(request);
  }

  /** Returns the latency in milliseconds after which a response is late. */
  slowMs({ path }: ForwardedRequest): number {
    return this.#slowMs.get(path) ?? Number.POSITIVE_INFINITY;
  }

  /** Records a first submission, which refills the budget. */
  recordSubmission(): void {
    this.#budget.add(RETRY_BUDGET_RATIO);
  }

  /** Takes one retry from the budget; returns false if it is exhausted. */
  spend(monotonicMs: number): boolean {
    return this.#budget.take(monotonicMs);
  }

  /** Records a successful response. */
  recordSuccess({ path }: ForwardedRequest, isReadonly: boolean, ms: number): void {
    const slowMs = this.#slowMs.get(path);
    if (!isReadonly) {
      if (slowMs !== undefined) this.#slowMs.delete(path);
      return;
    }
    if (slowMs === undefined) {
      if (this.#slowMs.size < MAX_RETRYABLE_PLUGINS) this.#slowMs.set(path, 2 * ms);
      return;
    }
    const step = Math.max(MIN_STEP_MS, slowMs * STEP_RATIO);
    const change = ms > slowMs ? step * QUANTILE : -step * (1 - QUANTILE);
    this.#slowMs.set(path, Math.max(MIN_STEP_MS, slowMs + change));
  }
}
