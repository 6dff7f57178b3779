// What a back-end was asked and what came of it, for the metrics. Counters only ever grow.

import { OctaveHistogram } from "../metrics/octave-histogram.js";

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

export class BackEndFigures {
  readonly latency = new OctaveHistogram();
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
    if (status === 429 || status === 503) this.failures.refused++;
    else if (status >= 500) this.failures.error++;
  }
}
