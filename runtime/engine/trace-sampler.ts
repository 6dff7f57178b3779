// Decides which requests are traced, and which trace context back-ends receive. Only permitted
// dispatchers can force tracing by their sampled flag; otherwise any client could have all of its
// requests recorded. Other requests are sampled at the configured rate.

import type { Trace } from "../base/tracing/trace.js";
import { readTraceParent, TRACE_PARENT, unsampled } from "../base/tracing/trace-parent.js";
import type { Tracer } from "../base/tracing/tracer.js";
import { clientAddress } from "../http/client-address.js";
import type { ClientPermissions } from "../http/client-permissions.js";
import type { Exchange } from "../http/transport.js";
import { headerValue } from "../plugin/contract/request-text.js";

export class TraceSampler {
  /** Null if tracing is disabled. */
  readonly #tracer: Tracer | null;
  readonly #rights: ClientPermissions;

  constructor(tracer: Tracer | null, rights: ClientPermissions) {
    this.#tracer = tracer;
    this.#rights = rights;
  }

  /** Returns null for a request that is not traced. */
  begin(exchange: Exchange): Trace | null {
    if (this.#tracer === null || exchange.isWarmUp) return null;
    const parent = readTraceParent(exchange.headers.get(TRACE_PARENT));
    return this.#tracer.begin(parent, parent !== null && this.#isVerified(exchange), exchange.t0Ms);
  }

  /** Returns the `traceparent` for back-ends; undefined for a request without one. */
  getTraceParent(exchange: Exchange): string | undefined {
    const { trace, headers } = exchange;
    if (trace !== null) return trace.parentText();
    const text = headerValue(headers.block, TRACE_PARENT);
    const parent = readTraceParent(text);
    if (parent === null || !parent.isSampled || this.#isVerified(exchange)) return text;
    return unsampled(parent);
  }

  #isVerified(exchange: Exchange): boolean {
    return this.#rights.isDispatcherAddress(clientAddress(exchange));
  }
}
