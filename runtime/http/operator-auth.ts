// Authorizes operators: loopback clients, and clients of `http.trustedNetworks` that send the admin
// key. On the admin port only: a proxy in front of the main port acts for all of its clients.

import { timingSafeEqual } from "node:crypto";
import { LOOPBACK_NETWORKS, Networks } from "../base/network.js";
import { clientAddress } from "./client-address.js";
import type { Exchange } from "./transport.js";
import type { TrustedClients } from "./trusted-clients.js";

export const KEY_HEADER = "x-svc-admin-key";
const NO_KEY = "remote operators need an admin key, and none is configured (admin.keyFile)";

export class OperatorAuth {
  readonly #trusted: TrustedClients;
  readonly #thisMachine = new Networks(LOOPBACK_NETWORKS);
  readonly #key: Buffer | null;

  /**
   * @param trusted those of the admin port
   * @param key null: only loopback clients may operate
   */
  constructor(trusted: TrustedClients, key: string | null) {
    this.#trusted = trusted;
    this.#key = key === null ? null : Buffer.from(key);
  }

  /** Returns why a request may not operate the server, null if it may. */
  refusal(exchange: Exchange): string | null {
    const reason = this.#trusted.refusal(exchange) ?? this.#keyRefusal(exchange);
    return reason === null ? null : `403 Forbidden: ${reason}`;
  }

  #keyRefusal(exchange: Exchange): string | null {
    if (this.#thisMachine.has(clientAddress(exchange))) return null;
    if (this.#key === null) return NO_KEY;
    const key = Buffer.from(exchange.headers.get(KEY_HEADER) ?? "");
    const isEqual = key.length === this.#key.length && timingSafeEqual(key, this.#key);
    return isEqual ? null : "missing or wrong key in X-SVC-Admin-Key";
  }
}
