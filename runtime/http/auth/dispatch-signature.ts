// Signatures of dispatchers: the principal and the client of a request travel to the instances
// below, which trust them because of a shared key. A signature holds for one request (method, path,
// query and body) and for a minute, so that a recorded one cannot be used for anything else.
//
//   X-SVC-Signed: <claims as JSON, base64url>.<HMAC-SHA-256, base64url>

import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { nowMs } from "../../base/clock.js";
import { SIGNATURE_HEADER } from "../../plugin/contract/request-text.js";
import { clientAddress } from "../client-address.js";
import { HttpRejection } from "../rejections.js";
import type { Exchange } from "../transport.js";

/** Age of a signature at most; clocks of instances may differ by as much. */
const VALID_MS = 60_000;
const CONTEXT = "svc dispatch 1";
const FORM = /^([\w-]{1,8000})\.([\w-]{43})$/;

const UNSIGNED = new HttpRejection(
  401,
  "401 Unauthorized: the signature of the dispatcher is missing or invalid",
);

/** Origin of a request, as a dispatcher knows it. */
export interface SignedOrigin {
  /** JSON text of the principal, null for none. */
  readonly principal: string | null;
  /** Address of the client. */
  readonly client: string;
  readonly isTrusted: boolean;
}

/** A request as it is sent between instances. */
export interface SignedRequest {
  readonly method: string;
  /** Path and query, latin1. */
  readonly target: string;
  /** Latin1 text or bytes. */
  readonly body: string | Uint8Array | null;
}

interface Claims extends SignedOrigin {
  /** Milliseconds since 1970. */
  readonly at: number;
}

export class DispatchSignature {
  readonly #key: string;

  /** @param key that dispatchers and the instances below them share */
  constructor(key: string) {
    this.#key = key;
  }

  /** Returns the value of the header field. */
  sign(request: SignedRequest, origin: SignedOrigin, at = nowMs()): string {
    const claims = Buffer.from(JSON.stringify({ ...origin, at })).toString("base64url");
    return `${claims}.${this.#digest(request, claims).toString("base64url")}`;
  }

  /** Returns the origin of a request; null if the signature is not valid for it. */
  verify(request: SignedRequest, value: string | undefined, now = nowMs()): SignedOrigin | null {
    const [, claims, digest] = FORM.exec(value ?? "") ?? [];
    if (claims === undefined) return null;
    const given = Buffer.from(digest!, "base64url");
    const expected = this.#digest(request, claims);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    const { at, ...origin } = JSON.parse(Buffer.from(claims, "base64url").toString()) as Claims;
    return Math.abs(now - at) <= VALID_MS ? origin : null;
  }

  /**
   * Takes the origin of a request of a dispatcher from its signature.
   * @returns the rejection of a request without a valid one
   */
  accept(exchange: Exchange): HttpRejection | null {
    const { headers } = exchange;
    const origin = this.verify(exchange, headers.get(SIGNATURE_HEADER.toLowerCase()));
    if (origin === null) return UNSIGNED;
    exchange.principal = origin.principal;
    exchange.forwardedFor = origin.client;
    exchange.isVouchedFor = origin.isTrusted;
    return null;
  }

  #digest({ method, target, body }: SignedRequest, claims: string): Buffer {
    const content = createHash("sha256");
    if (typeof body === "string") content.update(body, "latin1");
    else if (body !== null) content.update(body);
    const lines = [CONTEXT, method, target, content.digest("hex"), claims];
    return createHmac("sha256", this.#key).update(lines.join("\n"), "latin1").digest();
  }
}

/** Returns the origin of a request, for the instances below. */
export function getOrigin(exchange: Exchange, isTrusted: boolean): SignedOrigin {
  return { principal: exchange.principal, client: clientAddress(exchange), isTrusted };
}
