// Compresses responses where client and content allow it, in Node's thread pool, so that no event
// loop waits. Concurrent work is limited; beyond the limit, responses are sent uncompressed.
// Compressed lengths reveal repetitions: an attacker who can make a browser send chosen text and
// observes the lengths of encrypted responses can recover secrets in them (BREACH). Responses to
// authenticated requests are therefore not compressed unless the operator allows it.

import {
  MAX_COMPRESSED_BYTES,
  MAX_COMPRESSING_BYTES,
  MIN_COMPRESSED_BYTES,
} from "../base/limits.js";
import { type ContentCoding, compress, isCompressible, negotiateCoding } from "./content-coding.js";
import { OWN_MEDIA_TYPE } from "./statuses.js";
import type { Exchange, RequestHeaders } from "./transport.js";

export const VARY = "Vary: Accept-Encoding\r\n";
/** Header fields that carry credentials. */
const CREDENTIALS = [
  "cookie",
  "authorization",
  "proxy-authorization",
  "x-api-key",
  "x-auth-token",
  "x-svc-admin-key",
] as const;
/** Response fields that forbid a transformation or depend on the exact bytes. */
const UNTOUCHABLE = new RegExp(
  "^(?:content-encoding|content-range|etag|digest|content-digest|repr-digest|set-cookie|" +
    "cache-control:[^\\r\\n]{0,500}no-transform)",
  "im",
);
const TYPE_LINE = /^content-type:([^\r\n]{1,500})/im;

/** `busy`: a later attempt may succeed. */
export type SkipReason = "busy" | "useless";

export interface CompressionRules {
  /** Also compress responses to authenticated requests. */
  readonly withCredentials: boolean;
  /** Clients are authenticated by certificates. */
  readonly hasClientCertificates: boolean;
}

export class Compressor {
  readonly #rules: CompressionRules;
  #bytes = 0;

  constructor(rules: CompressionRules) {
    this.#rules = rules;
  }

  /**
   * Answers a request, at once or asynchronously.
   * @param sent receives the length of the body sent
   */
  respond(
    exchange: Exchange,
    status: number,
    mediaType: string | null,
    body: string | Uint8Array,
    fields: string,
    sent: (byteLength: number) => void,
  ): void {
    const send = (content: string | Uint8Array, lines: string): void => {
      exchange.respond(status, mediaType, content, lines);
      sent(content.length);
    };
    if (!isNegotiable(exchange, mediaType, body.length, fields)) return send(body, fields);
    const varying = fields + VARY;
    const coding = this.#isPublic(exchange.headers)
      ? negotiateCoding(exchange.headers.get("accept-encoding"))
      : null;
    if (coding === null) return send(body, varying);
    const bytes = typeof body === "string" ? Buffer.from(body, "latin1") : body;
    this.compress(coding, bytes).then((compressed) => {
      if (typeof compressed === "string") send(body, varying);
      else send(compressed, encoded(varying, coding));
    });
  }

  /** Resolves with the reason for skipping if compression is too expensive or does not shorten. */
  async compress(coding: ContentCoding, bytes: Uint8Array): Promise<Uint8Array | SkipReason> {
    if (this.#bytes + bytes.length > MAX_COMPRESSING_BYTES) return "busy";
    this.#bytes += bytes.length;
    const compressed = await compress(coding, bytes);
    this.#bytes -= bytes.length;
    return compressed !== null && compressed.length < bytes.length ? compressed : "useless";
  }

  #isPublic(headers: RequestHeaders): boolean {
    const { withCredentials, hasClientCertificates } = this.#rules;
    if (withCredentials) return true;
    return !(hasClientCertificates || CREDENTIALS.some((name) => headers.get(name) !== undefined));
  }
}

/** Returns the header lines of a compressed response. */
export function encoded(fields: string, coding: ContentCoding): string {
  return `${fields}Content-Encoding: ${coding}\r\n`;
}

/** Returns whether the representation depends on what the client accepts. */
function isNegotiable(
  { connection, headers }: Exchange,
  mediaType: string | null,
  length: number,
  fields: string,
): boolean {
  if (length < MIN_COMPRESSED_BYTES || length > MAX_COMPRESSED_BYTES) return false;
  // Dispatchers parse the responses of back-ends, and compress their own.
  if (connection.ident !== null || headers.accept === "partial" || mediaType === null) return false;
  if (mediaType !== OWN_MEDIA_TYPE) return isCompressible(mediaType);
  return !UNTOUCHABLE.test(fields) && isCompressible(TYPE_LINE.exec(fields)?.[1] ?? "");
}
