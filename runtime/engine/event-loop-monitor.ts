// Measures the utilization of the IO thread's event loop, through which every request passes. Logs
// sustained overload, whether by too many requests or by background work of inline plugins.

import { type EventLoopUtilization, performance } from "node:perf_hooks";
import { log } from "../base/log.js";

const BUSY_PERCENT = 80;
const BUSY_MS = 5000;
/** Interval of log lines while the overload lasts. */
const REPORT_INTERVAL_MS = 60_000;

export class EventLoopMonitor {
  readonly #measure: () => EventLoopUtilization;
  #last: EventLoopUtilization;
  /** Elapsed and active time of the current overload, in milliseconds. */
  #busyMs = 0;
  #activeMs = 0;
  #sinceReportMs = REPORT_INTERVAL_MS;

  /** @param measure returns active and idle time of the event loop so far, in milliseconds */
  constructor(measure = () => performance.eventLoopUtilization()) {
    this.#measure = measure;
    this.#last = measure();
  }

  /**
   * Called once a second.
   * @param inline names of plugins that have run in this thread
   * @returns utilization since the last call in percent
   */
  tick(inline: Iterable<string>): number {
    const current = this.#measure();
    const active = current.active - this.#last.active;
    const elapsed = active + current.idle - this.#last.idle;
    this.#last = current;
    if (elapsed <= 0) return 0;
    this.#sinceReportMs += elapsed;
    const percent = (100 * active) / elapsed;
    const isBusy = percent > BUSY_PERCENT;
    this.#busyMs = isBusy ? this.#busyMs + elapsed : 0;
    this.#activeMs = isBusy ? this.#activeMs + active : 0;
    if (this.#busyMs >= BUSY_MS && this.#sinceReportMs >= REPORT_INTERVAL_MS)
      this.#report([...inline].sort());
    return percent;
  }

  #report(inline: readonly string[]): void {
    const percent = Math.round((100 * this.#activeMs) / this.#busyMs);
    const seconds = Math.round(this.#busyMs / 1000);
    const why =
      inline.length === 0
        ? "this instance is overloaded, see svc_io_busy_ratio"
        : `by load, or by background work of @inline plugins: ${inline.join(", ")}`;
    log(`IO thread was ${percent} % busy for ${seconds} s: ${why}`, "warn");
    this.#sinceReportMs = 0;
  }
}
