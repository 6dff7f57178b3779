// Outcomes of replayed requests.

import type { RecordedRequest } from "../../runtime/http/recorded-request.js";

/** Kind of difference from the recorded response. */
export type Difference = "status" | "answer" | "failure";

/** A request with another response. */
export interface DifferingResponse {
  readonly request: string;
  readonly difference: Difference;
  readonly recorded: number;
  /** The status, or the reason why there is no response. */
  readonly now: number | string;
}

export interface Latencies {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

const MAX_SHOWN = 10;
const MS_DIGITS = 3;

export class ReplayOutcome {
  sent = 0;
  differing = 0;
  seconds = 0;
  /** Number of requests that were not sent, by reason. */
  readonly left: Record<string, number> = {};
  /** The first differences. */
  readonly examples: DifferingResponse[] = [];
  recorded: Latencies | null = null;
  now: Latencies | null = null;
  readonly #recordedMs: number[] = [];
  readonly #nowMs: number[] = [];
  readonly #begun = performance.now();

  leftOut(reason: string): void {
    this.left[reason] = (this.left[reason] ?? 0) + 1;
  }

  /** @param ms latency reported by the server, otherwise measured here */
  addResponse(
    recorded: RecordedRequest,
    ms: number,
    status: number,
    difference: Difference | null,
  ) {
    this.sent++;
    this.#recordedMs.push(recorded.ms);
    this.#nowMs.push(ms);
    if (difference !== null) this.#differs(recorded, difference, status);
  }

  /** Records a request without a response. */
  addFailure(recorded: RecordedRequest, reason: string): void {
    this.sent++;
    this.#differs(recorded, "failure", reason);
  }

  /** True if all requests were sent. */
  end(): void {
    this.seconds = (performance.now() - this.#begun) / 1000;
    this.recorded = latencies(this.#recordedMs);
    this.now = latencies(this.#nowMs);
  }

  #differs(
    { method, target, status }: RecordedRequest,
    difference: Difference,
    now: number | string,
  ) {
    this.differing++;
    if (this.examples.length === MAX_SHOWN) return;
    this.examples.push({ request: `${method} ${target}`, difference, recorded: status, now });
  }
}

function latencies(all: number[]): Latencies | null {
  if (all.length === 0) return null;
  all.sort((a, b) => a - b);
  const at = (share: number) => round(all[Math.ceil(share * all.length) - 1]!);
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}

function round(ms: number): number {
  return Number(ms.toFixed(MS_DIGITS));
}
