// Signatures of dispatchers: the principal and the client of a request travel to the instances
// below, which trust them because of a shared key. A signature holds for one request (method, path,
// query and body) and for a minute, and each instance accepts it once, so that a recorded one is of
// no use.
//
//   X-SVC-Signed: <claims as JSON, base64url>.<HMAC-SHA-256, base64url>

import {
  createHmac,
  createSecretKey,
  hash,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import { SIGNATURE_HEADER } from "../../plugin/contract/request-text.js";
import { HttpRejection, RETRY_AFTER } from "../rejections.js";
import type { Exchange } from "../transport.js";
import { ReplayWindow } from "./replay-window.js";
import type { SignedOrigin } from "./signed-origin.js";

/** Maximum age of a signature, and maximum difference between the clocks of instances. */
const VALID_MS = 60_000;
const CONTEXT = "svc dispatch 2";
const FORM = /^([\w-]{1,8000})\.([\w-]{43})$/;
/** JSON of a principal and a client: encoded with the other claims, it fits a header line. */
const MAX_ORIGIN_BYTES = 5800;
/** Maximum for a character that is escaped in JSON and encoded in UTF-8. */
const MAX_BYTES_PER_CHARACTER = 3;

const NO_CONTENT = hash("sha256", "");
const HEADER = SIGNATURE_HEADER.toLowerCase();
const PROBE: SignedRequest = { method: "GET", target: "/svc/hc", body: null };

const UNSIGNED = new HttpRejection(
  401,
  "401 Unauthorized: the dispatcher has not signed the request; set http.dispatcherKeyFile there",
);
const OTHER_KEY =
  "the signature of the dispatcher is invalid; compare http.dispatcherKeyFile of both instances";
const USED = "the signature of the dispatcher was used before";

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
  /** The instance that signs, and the number of its signature. */
  readonly signer: string;
  readonly number: number;
}

export class DispatchSignature {
  readonly #key: KeyObject;
  readonly #signer = randomBytes(12).toString("base64url");
  #signed = 0;
  readonly #used = new ReplayWindow(2 * VALID_MS);
  /** Digests of bodies: a request is signed for each partition, and for each attempt. */
  readonly #contents = new WeakMap<SignedRequest, string>();

  /** @param key that dispatchers and the instances below them share */
  constructor(key: string) {
    this.#key = createSecretKey(key, "utf8");
  }

  /** Returns whether `sign` can carry the origin. */
  fits(origin: SignedOrigin): boolean {
    const { length } = origin.principal ?? "";
    if (length * MAX_BYTES_PER_CHARACTER < MAX_ORIGIN_BYTES / 2) return true;
    return Buffer.byteLength(JSON.stringify(origin)) <= MAX_ORIGIN_BYTES;
  }

  /** Returns the value of the header field, for one attempt to send the request. */
  sign(request: SignedRequest, origin: SignedOrigin, at = Date.now()): string {
    const unique = { at, signer: this.#signer, number: this.#signed++ };
    const claims = Buffer.from(JSON.stringify({ ...origin, ...unique })).toString("base64url");
    let content = this.#contents.get(request);
    if (content === undefined) {
      content = hashContent(request);
      this.#contents.set(request, content);
    }
    return `${claims}.${this.#digest(request, content, claims).toString("base64url")}`;
  }

  /** Returns the origin of a request, or what is wrong with its signature. */
  verify(request: SignedRequest, value: string, now = Date.now()): SignedOrigin | string {
    const [, claims, digest] = FORM.exec(value) ?? [];
    if (claims === undefined) return OTHER_KEY;
    const signature = Buffer.from(digest!, "base64url");
    const expected = this.#digest(request, hashContent(request), claims);
    const isEqual = signature.length === expected.length && timingSafeEqual(signature, expected);
    if (!isEqual) return OTHER_KEY;
    const parsed = JSON.parse(Buffer.from(claims, "base64url").toString()) as Claims;
    const { at, signer, number, ...origin } = parsed;
    if (Math.abs(now - at) > VALID_MS) return describeAge(now - at);
    return this.#used.use(signer, number, now) ? origin : USED;
  }

  /**
   * Takes the origin of a request of a dispatcher from its signature.
   * @returns the rejection of a request without a valid one
   */
  accept(exchange: Exchange): HttpRejection | null {
    const value = exchange.headers.get(HEADER);
    if (value === undefined) return UNSIGNED;
    const origin = this.verify(exchange, value);
    if (typeof origin === "string") return refuse(origin);
    exchange.principal = origin.principal;
    exchange.forwardedFor = origin.client;
    exchange.signedOrigin = origin;
    return null;
  }

  /** Returns the rejection of a health check with an invalid signature; it need not have one. */
  checkProbe(exchange: Exchange): HttpRejection | null {
    const value = exchange.headers.get(HEADER);
    const origin = value === undefined ? null : this.verify(exchange, value);
    return typeof origin === "string" ? refuse(origin) : null;
  }

  /** Returns the header line of a health check. */
  signProbe(): string {
    const origin = { principal: null, client: "", isTrusted: false, isGuarded: true };
    return `${SIGNATURE_HEADER}: ${this.sign(PROBE, origin)}\r\n`;
  }

  #digest({ method, target }: SignedRequest, content: string, claims: string): Buffer {
    const text = `${CONTEXT}\n${method}\n${target}\n${content}\n${claims}`;
    return createHmac("sha256", this.#key).update(text, "latin1").digest();
  }
}

/** Not 401: the client is not at fault, and another replica may accept the dispatcher. */
function refuse(reason: string): HttpRejection {
  return new HttpRejection(503, `503 Service Unavailable: ${reason}`, RETRY_AFTER);
}

function describeAge(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  const when = ms > 0 ? "ago" : "in the future";
  return `the dispatcher has signed ${seconds} s ${when}; compare the clocks of both instances`;
}

function hashContent({ body }: SignedRequest): string {
  if (body === null || body.length === 0) return NO_CONTENT;
  return hash("sha256", typeof body === "string" ? Buffer.from(body, "latin1") : body);
}
