// One run of a job as its function sees it: the argument `job`.

import type { RequestSource } from "../contract/request-source.js";
import { headerValue } from "../contract/request-text.js";
import { type App, getApp } from "./app.js";
import { RequestLog } from "./request-log.js";

/** Header field by which the server passes the time of a run. */
export const SCHEDULED_HEADER = "X-SVC-Scheduled";

/** Makes the argument `job` of one run. */
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

  /** Time for which the run was scheduled; an operator's run: the time of its start. */
  get scheduledAt(): Date {
    return new Date(Number(headerValue(this.#source.headerBlock, SCHEDULED_HEADER)));
  }

  /**
   * Aborts at the deadline of the run, and when the server shuts down. A job that ignores it for
   * ten seconds ends its executor.
   */
  get signal(): AbortSignal {
    return this.#source.signal?.get() ?? new AbortController().signal;
  }

  /**
   * Result of the start function of this executor (`onStart`).
   * @throws Error without one
   */
  get app(): App {
    return getApp();
  }

  /** The server's log; entries carry the number of the run. */
  get log(): RequestLog {
    return new RequestLog(this.#source);
  }
}
