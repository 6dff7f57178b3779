// One run of a job: the argument `job` of its function.

import type { RequestSource } from "../contract/request-source.js";
import { headerValue } from "../contract/request-text.js";
import { type App, getApp } from "./app.js";
import { RequestLog } from "./request-log.js";

/** Header field by which the server passes the time of a run. */
export const SCHEDULED_HEADER = "X-SVC-Scheduled";

/** Creates the argument `job` of a run. */
export let createJob: (source: RequestSource) => Job;

/** A run of a function tagged `@cron` or `@every`. */
export class Job {
  readonly #source: RequestSource;

  static {
    createJob = (source) => new Job(source);
  }

  private constructor(source: RequestSource) {
    this.#source = source;
  }

  /** Scheduled time of the run; for a run started by an operator, the time of its start. */
  get scheduledAt(): Date {
    return new Date(Number(headerValue(this.#source.headerBlock, SCHEDULED_HEADER)));
  }

  /**
   * Aborts at the deadline of the run, and when the server shuts down. If a job ignores it for ten
   * seconds, its executor is terminated.
   */
  get signal(): AbortSignal {
    return this.#source.signal?.get() ?? new AbortController().signal;
  }

  /**
   * Result of the start function of this executor (`onStart`).
   * @throws Error without a start function
   */
  get app(): App {
    return getApp();
  }

  /** The server's log; entries carry the number of the run. */
  get log(): RequestLog {
    return new RequestLog(this.#source);
  }
}
