// The head of a request as authentication handlers see it: nothing is parsed before it is read.

import { fieldValue } from "../../plugin/contract/request-text.js";
import { latin1ToUtf8 } from "../../plugin/contract/wire-text.js";
import { clientAddress } from "../client-address.js";
import type { Exchange, Method } from "../transport.js";

/** Longer tokens are no tokens: handlers need not bound the work for one. */
const MAX_TOKEN_BYTES = 16 * 1024;
const BEARER = /^bearer +(?=\S)/i;

export class RequestHead {
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  get method(): Method {
    return this.#exchange.method;
  }

  /** Path as received, without the query. */
  get path(): string {
    const { target } = this.#exchange;
    const mark = target.indexOf("?");
    return latin1ToUtf8(mark < 0 ? target : target.slice(0, mark));
  }

  /** Address of the client; behind a proxy of `http.proxies`, the one that the proxy names. */
  get ip(): string {
    return clientAddress(this.#exchange);
  }

  /** Value of a header field; names are case-insensitive, the last field wins, null for none. */
  header(name: string): string | null {
    return this.#exchange.headers.get(name.toLowerCase()) ?? null;
  }

  /** The bearer token of `Authorization`; null if there is none or it exceeds 16 KiB. */
  get token(): string | null {
    const value = this.#exchange.headers.get("authorization");
    if (value === undefined || !BEARER.test(value)) return null;
    const token = fieldValue(value, value.indexOf(" "), value.length);
    return token.length > MAX_TOKEN_BYTES ? null : token;
  }

  /** The same object for requests with the same header fields: key of a `WeakMap`. */
  get cacheKey(): object {
    return this.#exchange.headers;
  }
}
