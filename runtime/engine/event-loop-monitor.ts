// How busy the IO thread is. Everybody waits for it, so the log tells when it has been busy for
// long: with too many requests for one instance, or with what an inline plugin has left there.

import { type EventLoopUtilization, performance } from "node:perf_hooks";
import { log } from "../base/log.js";

const BUSY_PERCENT = 80;
const BUSY_MS = 5000;
/** While it goes on. */
const TELL_EVERY_MS = 60_000;

export class EventLoopMonitor {
  readonly #measure: () => EventLoopUtilization;
  #last: EventLoopUtilization;
  /** How long it is busy by now, and how much of that it did something. */
  #busyMs = 0;
  #activeMs = 0;
  #untoldMs = TELL_EVERY_MS;

  /** @param measure time that the event loop was active and idle so far, in milliseconds */
  constructor(measure = () => performance.eventLoopUtilization()) {
    this.#measure = measure;
    this.#last = measure();
  }

  /**
   * For every second.
   * @param inline names of plugins that have run in this thread
   * @returns percent of the time since the last call that the event loop was active
   */
  tick(inline: Iterable<string>): number {
    const now = this.#measure();
    const active = now.active - this.#last.active;
    const all = active + now.idle - this.#last.idle;
    this.#last = now;
    if (all <= 0) return 0;
    this.#untoldMs += all;
    const percent = (100 * active) / all;
    const isBusy = percent > BUSY_PERCENT;
    this.#busyMs = isBusy ? this.#busyMs + all : 0;
    this.#activeMs = isBusy ? this.#activeMs + active : 0;
    if (this.#busyMs >= BUSY_MS && this.#untoldMs >= TELL_EVERY_MS) this.#tell([...inline].sort());
    return percent;
  }

  #tell(inline: readonly string[]): void {
    const percent = Math.round((100 * this.#activeMs) / this.#busyMs);
    const seconds = Math.round(this.#busyMs / 1000);
    const why =
      inline.length === 0
        ? "this instance is overloaded, see svc_io_busy_ratio"
        : `by load, or by what @inline plugins do there: ${inline.join(", ")}`;
    log(`IO thread was ${percent} % busy for ${seconds} s: ${why}`, "warn");
    this.#untoldMs = 0;
  }
}
