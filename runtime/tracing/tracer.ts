// Decides which requests are recorded: those whose caller records them, where its word counts, and
// of the others one of so many.

import { Collector } from "./collector.js";
import { Trace } from "./trace.js";
import type { TraceParent } from "./trace-parent.js";

export class Tracer {
  readonly #collector: Collector;
  readonly #every: number;
  #seen = 0;

  /**
   * @param base where the collector is
   * @param every of requests whose callers do not decide one of so many is recorded; 0: none
   */
  constructor(base: string, every: number, service: () => string, version: string) {
    this.#collector = new Collector(base, service, version);
    this.#every = every;
  }

  /**
   * Null for a request that is not recorded.
   * @param isBelieved whether it is up to the caller if it is
   */
  begin(parent: TraceParent | null, isBelieved: boolean, t0Ms: number): Trace | null {
    if (!this.#collector.isListening) return null;
    const isChosen =
      parent !== null && isBelieved
        ? parent.isSampled
        : this.#every > 0 && this.#seen++ % this.#every === 0;
    return isChosen ? new Trace(this.#collector, parent, t0Ms) : null;
  }

  /** Sends what is left. */
  close(timeoutMs: number): Promise<void> {
    return this.#collector.close(timeoutMs);
  }
}
