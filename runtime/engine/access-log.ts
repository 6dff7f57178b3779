// Logs a sample of the requests, one entry each. Query strings are omitted: they may hold personal
// data.

import { nowMs } from "../base/clock.js";
import { logUnthrottled } from "../base/log.js";
import { clientAddress } from "../http/client-address.js";
import type { Exchange } from "../http/transport.js";

const MS_DIGITS = 2;

export class AccessLog {
  readonly #every: number;
  #answered = 0;

  /** @param every logs one in this many requests */
  constructor(every: number) {
    this.#every = every;
  }

  recordResponse(exchange: Exchange, status: number, bytes: number): void {
    const { method, target, requestId, t0Ms, isWarmUp } = exchange;
    if (isWarmUp) return;
    if (this.#answered++ % this.#every > 0) return;
    const path = target.split("?", 1)[0]!;
    const ms = Number((nowMs() - t0Ms).toFixed(MS_DIGITS));
    const client = clientAddress(exchange);
    const named = requestId === null ? {} : { request: requestId };
    const fields = { method, path, status, ms, bytes, client, ...named };
    logUnthrottled(`${method} ${path} ${status} ${bytes} bytes ${ms} ms ${client}`, "info", fields);
  }
}
