// Which requests are recorded, and what back-ends are told of it. That a caller records a request
// makes us record it, too: that is the word of those who may be dispatchers. A stranger could have
// each of his requests recorded; of his, as of those without a trace, one of so many is.

import { clientAddress } from "../http/client-address.js";
import type { ClientPermissions } from "../http/client-permissions.js";
import type { Exchange } from "../http/transport.js";
import { headerValue } from "../plugin/contract/request-text.js";
import type { Trace } from "../tracing/trace.js";
import { readTraceParent, TRACE_PARENT, unsampled } from "../tracing/trace-parent.js";
import type { Tracer } from "../tracing/tracer.js";

export class TraceSampler {
  /** Null where no request is recorded. */
  readonly #tracer: Tracer | null;
  readonly #rights: ClientPermissions;

  constructor(tracer: Tracer | null, rights: ClientPermissions) {
    this.#tracer = tracer;
    this.#rights = rights;
  }

  /** Null for a request that is not recorded. */
  begin(exchange: Exchange): Trace | null {
    if (this.#tracer === null || exchange.isWarmUp) return null;
    const parent = readTraceParent(exchange.headers.get(TRACE_PARENT));
    return this.#tracer.begin(parent, parent !== null && this.#isVerified(exchange), exchange.t0Ms);
  }

  /** What back-ends get as `traceparent`; undefined where the request has none. */
  passedOn(exchange: Exchange): string | undefined {
    const { trace, headers } = exchange;
    if (trace !== null) return trace.parentText();
    const text = headerValue(headers.block, TRACE_PARENT);
    const parent = readTraceParent(text);
    if (parent === null || !parent.isSampled || this.#isVerified(exchange)) return text;
    return unsampled(parent);
  }

  #isVerified(exchange: Exchange): boolean {
    return this.#rights.isParent(clientAddress(exchange));
  }
}
