// Decides which requests are recorded: those whose caller records them, and of the others one of so
// many.

import { Collector } from "./collector.js";
import { Trace } from "./trace.js";
import { readTraceParent, TRACE_PARENT } from "./trace-parent.js";

/** Of a request. */
export interface Traced {
  readonly headers: { get(name: string): string | undefined };
  readonly t0Ms: number;
}

export class Tracer {
  readonly #collector: Collector;
  readonly #every: number;
  #seen = 0;

  /**
   * @param base where the collector is
   * @param every of requests without a trace, one of so many gets one; 0: none
   */
  constructor(base: string, every: number, service: () => string, version: string) {
    this.#collector = new Collector(base, service, version);
    this.#every = every;
  }

  /** Null for a request that is not recorded. */
  begin({ headers, t0Ms }: Traced): Trace | null {
    if (!this.#collector.isListening) return null;
    const parent = readTraceParent(headers.get(TRACE_PARENT));
    const isChosen =
      parent === null ? this.#every > 0 && this.#seen++ % this.#every === 0 : parent.isSampled;
    return isChosen ? new Trace(this.#collector, parent, t0Ms) : null;
  }

  /** Sends what is left. */
  close(timeoutMs: number): Promise<void> {
    return this.#collector.close(timeoutMs);
  }
}
