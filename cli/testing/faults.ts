// What may be wrong with an instance on purpose: it refuses connections, hangs, is slow, or loses
// the connection in the middle of an answer. Its health checks go on as if nothing were wrong, as
// they do where plugins alone are at fault.

import { SvcError } from "../../runtime/base/errors.js";
import type { Exchange, ServerEvents } from "../../runtime/http/transport.js";
import { type Duration, milliseconds } from "./duration.js";

/**
 * - `refuse`: no new connection is let in
 * - `hang`: health checks are answered, nothing else is until the fault is over
 * - `cut`: connections end in the middle of each answer, but of health checks
 * - `slow`: each request but health checks is begun so much later, by the clock of the test
 */
export type Fault = "refuse" | "hang" | "cut" | { readonly slow: Duration };

const NAMES = ["refuse", "hang", "cut"];
const HEALTH = /^\/svc\/hc(?:\?|$)/;

/** @throws SvcError SVC3300 for what is no fault */
export function checkedFault(fault: Fault): Fault {
  if (typeof fault === "object" && fault !== null && Object.hasOwn(fault, "slow")) {
    return { slow: milliseconds(fault.slow) };
  }
  if (NAMES.includes(fault as string)) return fault;
  const text = `${JSON.stringify(fault)} is no fault: "refuse", "hang", "cut", or { slow: "20ms" }`;
  throw new SvcError("SVC3300", text);
}

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
