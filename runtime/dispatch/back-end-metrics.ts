// What a back-end was asked and what came of it, for the metrics. Counters only ever grow.

import { Log2Histogram } from "../metrics/log2-histogram.js";

/** Why a back-end has not answered a request as it should have. */
export type BackEndFailure =
  /** No answer in time. */
  | "timeout"
  /** No connection, or one that broke. */
  | "connection"
  /** 429 or 503: nothing was executed. */
  | "refused"
  /** Another status of 5xx. */
  | "error";

/** The last answers, whose latencies tell how it is now. */
const LAST = 64;
/** That part of them may be slower than what is told. */
const SLOWER = 0.05;

export class BackEndMetrics {
  readonly latency = new Log2Histogram();
  /** Milliseconds, a ring; made with the first answer. */
  #last: Float32Array | null = null;
  #next = 0;
  #known = 0;
  /** Of what is in the ring now; null: to be found. */
  #slow: number | null = null;
  readonly failures: Record<BackEndFailure, number> = {
    timeout: 0,
    connection: 0,
    refused: 0,
    error: 0,
  };
  /** Requests that another replica had failed before, or was late with. */
  retries = 0;

  /** It has answered after so many milliseconds. */
  answered(status: number, ms: number): void {
    this.latency.add(ms);
    this.#last ??= new Float32Array(LAST);
    this.#last[this.#next] = ms;
    this.#next = (this.#next + 1) % LAST;
    this.#known = Math.min(LAST, this.#known + 1);
    this.#slow = null;
    if (status === 429 || status === 503) this.failures.refused++;
    else if (status >= 500) this.failures.error++;
  }

  /** 95 of 100 of the last answers took no longer than so many milliseconds; null without any. */
  get slowMs(): number | null {
    if (this.#last === null) return null;
    this.#slow ??= slowOf(this.#last.subarray(0, this.#known));
    return this.#slow;
  }
}

function slowOf(latencies: Float32Array): number {
  const sorted = latencies.slice().sort();
  return sorted[sorted.length - 1 - Math.floor(sorted.length * SLOWER)]!;
}
