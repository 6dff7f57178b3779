// Request metrics of a back-end. Counters only grow.

import { Log2Histogram } from "../base/log2-histogram.js";

/** Failure kinds of a back-end. */
export type BackEndFailure =
  /** Timed out. */
  | "timeout"
  /** The connection failed or closed. */
  | "connection"
  /** 429 or 503: not executed. */
  | "refused"
  /** Other 5xx status. */
  | "error";

/** Number of latest responses that latency quantiles cover. */
const WINDOW = 64;
/** Share of these responses that are slower than `slowMs`, the 95th percentile. */
const SLOWER = 0.05;

export class BackEndMetrics {
  readonly latency = new Log2Histogram();
  /** Ring of milliseconds, allocated with the first response. */
  #latest: Float32Array | null = null;
  #next = 0;
  #filled = 0;
  /** Cached percentile of the ring; null: stale. */
  #slow: number | null = null;
  readonly failures: Record<BackEndFailure, number> = {
    timeout: 0,
    connection: 0,
    refused: 0,
    error: 0,
  };
  /** Retries and hedges received because another replica failed or was slow. */
  retries = 0;

  /** Records a response. */
  recordResponse(status: number, ms: number): void {
    this.latency.add(ms);
    this.#latest ??= new Float32Array(WINDOW);
    this.#latest[this.#next] = ms;
    this.#next = (this.#next + 1) % WINDOW;
    this.#filled = Math.min(WINDOW, this.#filled + 1);
    this.#slow = null;
    if (status === 429 || status === 503) this.failures.refused++;
    else if (status >= 500) this.failures.error++;
  }

  /** 95th percentile of the latest latencies; null: none. */
  get slowMs(): number | null {
    if (this.#latest === null) return null;
    this.#slow ??= percentileMs(this.#latest.subarray(0, this.#filled));
    return this.#slow;
  }
}

function percentileMs(latencies: Float32Array): number {
  const sorted = latencies.slice().sort();
  return sorted[sorted.length - 1 - Math.floor(sorted.length * SLOWER)]!;
}
