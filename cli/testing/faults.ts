// What may be wrong with an instance on purpose: it refuses connections, hangs, is slow, or loses
// the connection in the middle of an answer. Its health checks go on as if nothing were wrong, as
// they do where plugins alone are at fault.

import type { Exchange, ServerEvents } from "../../runtime/http/transport.js";
import { milliseconds } from "./duration.js";
import type { Fault } from "./fault.js";

const HEALTH = /^\/svc\/hc(?:\?|$)/;

export class Faults {
  #fault: Fault | null = null;
  #held: (() => void)[] = [];

  get isRefusing(): boolean {
    return this.#fault === "refuse";
  }

  /** What hung until now goes on, unless it is to hang still. */
  set(fault: Fault | null): void {
    this.#fault = fault;
    if (fault === "hang") return;
    const held = this.#held;
    this.#held = [];
    for (const begin of held) begin();
  }

  /**
   * Stands between a server and whoever answers its requests.
   * @param cut loses the connection from a port in the middle of what is sent next
   */
  between(events: ServerEvents, cut: (remotePort: number) => void): ServerEvents {
    return {
      request: (exchange) => this.#request(events, exchange, cut),
      errorBody: (...args) => events.errorBody(...args),
      answered: (...args) => events.answered(...args),
      connected: (delta) => events.connected(delta),
    };
  }

  #request(events: ServerEvents, exchange: Exchange, cut: (remotePort: number) => void): void {
    const fault = this.#fault;
    const begin = (): void => events.request(exchange);
    if (fault === null || fault === "refuse" || HEALTH.test(exchange.target)) return begin();
    if (fault === "hang") this.#held.push(begin);
    else if (fault === "cut") {
      cut(exchange.connection.remotePort);
      begin();
    } else setTimeout(begin, milliseconds(fault.slow));
  }
}
