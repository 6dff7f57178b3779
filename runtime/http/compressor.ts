// Answers that leave compressed, where client and content allow it. The work is done by Node's pool
// of threads, so no loop waits for it; what is under way has a bound, beyond which answers leave as
// they are.
//
// The length of a compressed text tells what in it repeats: who can have a browser send requests
// with texts of his choice, and watches how long the encrypted answers are, finds out what else is
// in them (BREACH). So answers to requests that show who is asking are left as they are, unless the
// operator says otherwise.

import {
  MAX_COMPRESSED_BYTES,
  MAX_COMPRESSING_BYTES,
  MIN_COMPRESSED_BYTES,
} from "../base/limits.js";
import { type ContentCoding, compress, isCompressible, negotiateCoding } from "./content-coding.js";
import { OWN_MEDIA_TYPE } from "./statuses.js";
import type { Exchange, RequestHeaders } from "./transport.js";

export const VARY = "Vary: Accept-Encoding\r\n";
/** Fields by which clients say who they are. */
const CREDENTIALS = [
  "cookie",
  "authorization",
  "proxy-authorization",
  "x-api-key",
  "x-auth-token",
  "x-svc-admin-key",
] as const;
/** Of an answer whose bytes are not to be touched: it says so, or tells what depends on them. */
const UNTOUCHABLE = new RegExp(
  "^(?:content-encoding|content-range|etag|digest|content-digest|repr-digest|set-cookie|" +
    "cache-control:[^\\r\\n]{0,500}no-transform)",
  "im",
);
const TYPE_LINE = /^content-type:([^\r\n]{1,500})/im;

/** `busy`: it may be done another time. */
export type SkipReason = "busy" | "useless";

export interface CompressionRules {
  /** Answers are compressed, too, that may hold secrets of the one who asks. */
  readonly withCredentials: boolean;
  /** Clients are known by their certificates. */
  readonly knowsClients: boolean;
}

export class Compressor {
  readonly #rules: CompressionRules;
  #bytes = 0;

  constructor(rules: CompressionRules) {
    this.#rules = rules;
  }

  /**
   * Answers a request, now or a little later.
   * @param sent is told how long the body is that leaves
   */
  answer(
    exchange: Exchange,
    status: number,
    mediaType: string | null,
    body: string | Uint8Array,
    fields: string,
    sent: (byteLength: number) => void,
  ): void {
    const send = (content: string | Uint8Array, own: string): void => {
      exchange.answer(status, mediaType, content, own);
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

  /** Resolves with why not where it takes too much, or wins nothing. */
  async compress(coding: ContentCoding, bytes: Uint8Array): Promise<Uint8Array | SkipReason> {
    if (this.#bytes + bytes.length > MAX_COMPRESSING_BYTES) return "busy";
    this.#bytes += bytes.length;
    const compressed = await compress(coding, bytes);
    this.#bytes -= bytes.length;
    return compressed !== null && compressed.length < bytes.length ? compressed : "useless";
  }

  #isPublic(headers: RequestHeaders): boolean {
    const { withCredentials, knowsClients } = this.#rules;
    if (withCredentials) return true;
    return !(knowsClients || CREDENTIALS.some((name) => headers.get(name) !== undefined));
  }
}

/** Field lines of an answer that is compressed. */
export function encoded(fields: string, coding: ContentCoding): string {
  return `${fields}Content-Encoding: ${coding}\r\n`;
}

/** Whether the form of an answer depends on what the client accepts. */
function isNegotiable(
  { connection, headers }: Exchange,
  mediaType: string | null,
  length: number,
  fields: string,
): boolean {
  if (length < MIN_COMPRESSED_BYTES || length > MAX_COMPRESSED_BYTES) return false;
  // Dispatchers read what they are told, and compress it themselves.
  if (connection.ident !== null || headers.accept === "partial" || mediaType === null) return false;
  if (mediaType !== OWN_MEDIA_TYPE) return isCompressible(mediaType);
  return !UNTOUCHABLE.test(fields) && isCompressible(TYPE_LINE.exec(fields)?.[1] ?? "");
}
