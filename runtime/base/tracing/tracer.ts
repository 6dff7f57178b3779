// Decides which requests are traced: those whose trusted caller traces them, and a sample of the
// others.

import { Collector, type CollectorOptions } from "./collector.js";
import { Trace } from "./trace.js";
import type { TraceParent } from "./trace-parent.js";

export class Tracer {
  readonly #collector: Collector;
  readonly #every: number;
  #seen = 0;

  /**
   * @param every samples one in this many requests without a decision of a trusted caller; 0: none
   */
  constructor(options: CollectorOptions, every: number) {
    this.#collector = new Collector(options);
    this.#every = every;
  }

  /**
   * Returns null for a request that is not traced.
   * @param isBelieved whether the caller's sampled flag decides
   */
  begin(parent: TraceParent | null, isBelieved: boolean, t0Ms: number): Trace | null {
    if (!this.#collector.isListening) return null;
    const isChosen =
      parent !== null && isBelieved
        ? parent.isSampled
        : this.#every > 0 && this.#seen++ % this.#every === 0;
    return isChosen ? new Trace(this.#collector, parent, t0Ms) : null;
  }

  /** Sends the buffered spans. */
  close(timeoutMs: number): Promise<void> {
    return this.#collector.close(timeoutMs);
  }
}
