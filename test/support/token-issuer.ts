// An identity provider on a real socket: signs tokens and publishes its keys, or fails to.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

export const AUDIENCE = "shop";

interface IssuerKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly jwk: object;
}

type Respond = (response: ServerResponse) => void;

export class TokenIssuer {
  #keys: IssuerKey[] = [];
  #respond: Respond | null = null;
  /** Requests for the keys so far. */
  requests = 0;
  readonly #server = createServer((_, response) => {
    this.requests++;
    if (this.#respond !== null) return this.#respond(response);
    response.end(JSON.stringify({ keys: this.#keys.map(({ jwk }) => jwk) }));
  });

  /** Starts on a free port, with one key. */
  static async start(kid = "first"): Promise<TokenIssuer> {
    const issuer = new TokenIssuer();
    await issuer.useKeys(kid);
    await new Promise<void>((resolve) => issuer.#server.listen(0, "127.0.0.1", resolve));
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get options() {
    return { issuer: this.url, audience: AUDIENCE, jwks: `${this.url}/keys` };
  }

  /** Replaces all keys by new ones. */
  async useKeys(...kids: readonly string[]): Promise<void> {
    this.#keys = await Promise.all(kids.map(createKey));
  }

  /** Answers requests for keys with a function; null: with the keys. */
  setResponder(respond: Respond | null): void {
    this.#respond = respond;
  }

  /** Returns a token that is valid for a minute, with other claims and header fields if given. */
  token(claims: JWTPayload = {}, header: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const { kid, privateKey } = this.#keys[0]!;
    const now = Math.floor(Date.now() / 1000);
    const payload = { iss: this.url, aud: AUDIENCE, sub: "ann", exp: now + 60, ...claims };
    return new SignJWT(payload)
      .setProtectedHeader({ alg: "ES256", kid, ...header })
      .sign(privateKey);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function createKey(kid: string): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: "ES256" } };
}
