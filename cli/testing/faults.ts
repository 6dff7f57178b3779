// Fault injection for an instance: it rejects connections, hangs, is slow, or cuts responses. Its
// health checks succeed, as when only plugins fail.

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

  /** Sets the fault and releases hung requests, unless the new fault is to hang. */
  set(fault: Fault | null): void {
    this.#fault = fault;
    if (fault === "hang") return;
    const held = this.#held;
    this.#held = [];
    for (const begin of held) begin();
  }

  /**
   * Wraps the events of a server.
   * @param cut closes the connection from a port within its next response
   */
  between(events: ServerEvents, cut: (remotePort: number) => void): ServerEvents {
    return {
      request: (exchange) => this.#request(events, exchange, cut),
      errorBody: (...args) => events.errorBody(...args),
      onRejection: (...args) => events.onRejection(...args),
      onShedConnection: (client) => events.onShedConnection(client),
      onResponse: (...args) => events.onResponse(...args),
      onConnection: (delta) => events.onConnection(delta),
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
