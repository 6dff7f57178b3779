// A run of a job in the form of a request, so that the scheduler and the executors treat both
// alike. It has no client; the outcome goes to the job.

import { nowMs } from "../../base/clock.js";
import { HeaderFields } from "../../http/header-fields.js";
import type { Connection, Exchange, RequestHeaders } from "../../http/transport.js";
import { JOB_PATH } from "../../plugin/contract/job-schedule.js";
import { SCHEDULED_HEADER } from "../../plugin/request/job.js";

const NO_CONNECTION: Omit<Connection, "endedAtMs"> = {
  id: -1,
  remoteAddress: "job",
  remotePort: 0,
  client: "",
  openedAtMs: 0,
  ident: null,
  certificate: null,
  bytesIn: 0,
  bytesOut: 0,
  arriving: null,
};

export class JobExchange implements Exchange {
  readonly method = "GET";
  readonly target: string;
  readonly headers: RequestHeaders;
  readonly body = null;
  readonly connection = { ...NO_CONNECTION, endedAtMs: 0 };
  readonly t0Ms = nowMs();
  forwardedFor = null;
  signedOrigin = null;
  countedPlugin = null;
  trace = null;
  queueUs = -1;
  runUs = -1;
  explanation = null;
  principal = null;
  audited = null;
  requestId = null;
  isWarmUp = false;
  readonly #onResponse: () => void;
  /** Set to abort the signal of the run, as after a disconnect of a client. */
  aborted = false;

  /** @param onResponse called when the run is answered without an outcome, at shutdown */
  constructor(name: string, scheduledMs: number, onResponse: () => void) {
    this.target = `${JOB_PATH}${name}`;
    this.headers = new HeaderFields(`${SCHEDULED_HEADER}: ${scheduledMs}\r\n`);
    this.#onResponse = onResponse;
  }

  /** Aborts the signal of the run, which must end within `JOB_GRACE_MS`. */
  cancel(): void {
    if (this.aborted) return;
    this.aborted = true;
    this.connection.endedAtMs = nowMs();
  }

  respond(): void {
    this.#onResponse();
  }

  respondStream(): void {
    this.#onResponse();
  }

  respondChunked(): void {
    this.#onResponse();
  }
}
