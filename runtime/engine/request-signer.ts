// Signs the requests that a dispatcher forwards, so that back-ends know principal and client.

import type { DispatchSignature, SignedRequest } from "../http/auth/dispatch-signature.js";
import type { SignedOrigin } from "../http/auth/signed-origin.js";
import { clientAddress } from "../http/client-address.js";
import type { Connection, Exchange } from "../http/transport.js";
import type { TrustedClients } from "../http/trusted-clients.js";
import { SIGNATURE_HEADER } from "../plugin/contract/request-text.js";

interface KnownClient {
  readonly address: string;
  readonly connection: Connection;
  readonly isTrusted: boolean;
}

export class RequestSigner {
  readonly #signature: DispatchSignature;
  readonly #trusted: TrustedClients;
  readonly #hasAuth: boolean;
  /** Clients by header fields: the decision is expensive, since it parses addresses and URLs. */
  readonly #clients = new WeakMap<object, KnownClient>();

  /** @param hasAuth this instance authenticates clients */
  constructor(signature: DispatchSignature, trusted: TrustedClients, hasAuth: boolean) {
    this.#signature = signature;
    this.#trusted = trusted;
    this.#hasAuth = hasAuth;
  }

  /**
   * Returns a function that signs an attempt to send a request for a client; null if the principal
   * is too large.
   */
  createSign(exchange: Exchange, content: SignedRequest): (() => string) | null {
    const origin = this.#getOrigin(exchange);
    if (!this.#signature.fits(origin)) return null;
    return () => `${SIGNATURE_HEADER}: ${this.#signature.sign(content, origin)}`;
  }

  #getOrigin(exchange: Exchange): SignedOrigin {
    const { principal, signedOrigin } = exchange;
    const client = clientAddress(exchange);
    const isTrusted = signedOrigin?.isTrusted ?? this.#isTrusted(exchange, client);
    const isGuarded = this.#hasAuth || signedOrigin?.isGuarded === true;
    return { principal, client, isTrusted, isGuarded };
  }

  #isTrusted(exchange: Exchange, address: string): boolean {
    const { headers, connection } = exchange;
    if (connection.ident !== null) return this.#trusted.isTrusted(exchange);
    const cached = this.#clients.get(headers);
    if (cached?.address === address && cached.connection === connection) return cached.isTrusted;
    const isTrusted = this.#trusted.isTrusted(exchange);
    this.#clients.set(headers, { address, connection, isTrusted });
    return isTrusted;
  }
}
