// The head of a request of a transport, for authentication handlers.

import { fieldValue } from "../../plugin/contract/request-text.js";
import { latin1ToUtf8 } from "../../plugin/contract/wire-text.js";
import { clientAddress } from "../client-address.js";
import type { Exchange, Method } from "../transport.js";
import type { ClientCertificate, RequestHead } from "./request-head.js";

/** Longer tokens are ignored, so that handlers need not limit their work per token. */
const MAX_TOKEN_BYTES = 16 * 1024;
const DUPLICATE = /^authorization:[\s\S]*^authorization:/im;
const BEARER = /^bearer +(?=\S)/i;

export class ExchangeHead implements RequestHead {
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  get method(): Method {
    return this.#exchange.method;
  }

  get path(): string {
    const { target } = this.#exchange;
    const mark = target.indexOf("?");
    return latin1ToUtf8(mark < 0 ? target : target.slice(0, mark));
  }

  get ip(): string {
    return clientAddress(this.#exchange);
  }

  header(name: string): string | null {
    return this.#exchange.headers.get(name.toLowerCase()) ?? null;
  }

  get token(): string | null {
    const { headers } = this.#exchange;
    const value = headers.get("authorization");
    if (value === undefined || !BEARER.test(value)) return null;
    // A proxy may have checked the first of several fields.
    if (DUPLICATE.test(headers.block)) return null;
    const token = fieldValue(value, value.indexOf(" "), value.length);
    return token.length > MAX_TOKEN_BYTES ? null : token;
  }

  get certificate(): ClientCertificate | null {
    const { forwardedFor, connection } = this.#exchange;
    // The certificate of a proxy does not identify the client behind it.
    return forwardedFor === null ? connection.certificate : null;
  }

  get cacheKey(): object {
    return this.#exchange.headers;
  }
}
