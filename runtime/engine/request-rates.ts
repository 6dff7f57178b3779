// The rate limit of the main port, `http.rateLimit`, for plugins, built-in services and files. It
// includes rejected requests, so that it also limits guesses of credentials.

import { clientAddress } from "../http/client-address.js";
import { HttpRejection } from "../http/rejections.js";
import type { Exchange } from "../http/transport.js";
import { addressKey, principalKey, takeRequest } from "../plugin/response/rate-policy.js";
import type { ParsedRateLimit } from "../settings/rate-limit-rule.js";
import { PROBES } from "./builtin-access.js";

const NAME = "http";

export class RequestRates {
  readonly #limit: ParsedRateLimit | null;
  /** Cached key: requests of one principal often follow each other. */
  #lastPrincipal: { readonly text: string; readonly key: string } = { text: "", key: "" };

  /** @param limit null: requests are not counted */
  constructor(limit: ParsedRateLimit | null) {
    this.#limit = limit;
  }

  /**
   * Returns why a request of the main port exceeds the limit, null if it does not. Dispatchers
   * that share the key count the requests of their clients themselves.
   */
  take(exchange: Exchange, path: string): HttpRejection | null {
    const limit = this.#limit;
    if (limit === null || PROBES.has(path)) return null;
    if (exchange.signedOrigin !== null || exchange.isWarmUp) return null;
    const key =
      limit.by === "client" ? addressKey(clientAddress(exchange)) : this.#makeKey(exchange);
    const exceeded = takeRequest({ name: NAME, perMinute: limit.perMinute }, key);
    if (exceeded === null) return null;
    const lines = Object.entries(exceeded.fields).map(([name, value]) => `${name}: ${value}\r\n`);
    return new HttpRejection(429, exceeded.message, lines.join(""));
  }

  #makeKey(exchange: Exchange): string {
    const { principal: text } = exchange;
    if (text === null) return addressKey(clientAddress(exchange));
    if (text !== this.#lastPrincipal.text) {
      const key = principalKey(JSON.parse(text) as object, "");
      this.#lastPrincipal = { text, key };
    }
    return this.#lastPrincipal.key;
  }
}
