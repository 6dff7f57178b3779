// The file format of `svc serve --record` and `svc replay`: a request and its response, one line of
// JSON each. Credentials are never recorded.

import { createHash } from "node:crypto";
import { INLINE_BODY_BYTES } from "../base/limits.js";
import { MEDIA_TYPES } from "../plugin/contract/media-types.js";

/** The only header fields recorded: a response may depend on them. */
export const RECORDED_FIELDS = [
  ...(["accept", "content-type", "x-svc-partial-target", "x-svc-key"] as const),
] as const;

/** Version of the format, in the first line of each recording. */
export const RECORD_VERSION = 1;

/** The first line of each recording. */
export interface RecordHead {
  readonly record: typeof RECORD_VERSION;
  readonly service: string | null;
  readonly every: number;
  readonly bodies: boolean;
}

export interface RecordedRequest {
  /** Time of arrival, milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  /** Path and query, latin1, as received. */
  readonly target: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Length of the request body. */
  readonly sent: number;
  /** Request body in base64; only where bodies are recorded and it is small enough. */
  readonly body?: string;
  readonly status: number;
  /** Milliseconds until the response was ready. */
  readonly ms: number;
  /** Length of the comparable content; null for streams and failures. */
  readonly bytes: number | null;
  /** Digest of the comparable content; null if `bytes` is, and for large content. */
  readonly digest: string | null;
  /** Comparable content in base64; only where bodies are recorded and it is small enough. */
  readonly answer?: string;
}

/** The part of a response that replays compare. */
export interface ComparableResponse {
  readonly bytes: number | null;
  readonly digest: string | null;
  /** Null if it is too large or nothing is compared. */
  readonly content: Buffer | null;
  /** Milliseconds reported by the server; null if it reports none. */
  readonly ms: number | null;
}

const NOT_COMPARED: ComparableResponse = { bytes: null, digest: null, content: null, ms: null };
const FIRST_ERROR = 400;
const DIGEST_DIGITS = 16;
/** After the result, the envelope differs each time: origin and duration. */
const ENVELOPE_END = ', "level": ';
const MAX_ENVELOPE_END = 1024;
const EXEC_MS = /"exec_ms": (\d+\.\d+)/;

/**
 * Returns the reproducible part of a response: the result without the end of the envelope. Errors
 * are compared by status only: their stack frames change with each release.
 */
export function comparableResponse(
  status: number,
  mediaType: string | null,
  body: Uint8Array,
): ComparableResponse {
  const whole = Buffer.from(body.buffer, body.byteOffset, body.length);
  const isJson = mediaType?.startsWith(MEDIA_TYPES.json.split(";")[0]!) === true;
  const from = Math.max(0, whole.length - MAX_ENVELOPE_END);
  const end = isJson ? whole.subarray(from).lastIndexOf(ENVELOPE_END) : -1;
  const ms = end < 0 ? null : execMs(whole.subarray(from + end).toString("latin1"));
  if (status >= FIRST_ERROR) return { ...NOT_COMPARED, ms };
  const content = end < 0 ? whole : whole.subarray(0, from + end);
  if (content.length > INLINE_BODY_BYTES) return { ...NOT_COMPARED, bytes: content.length, ms };
  const digest = createHash("sha256").update(content).digest("hex").slice(0, DIGEST_DIGITS);
  return { bytes: content.length, digest, content, ms };
}

function execMs(envelopeEnd: string): number | null {
  const [, ms] = EXEC_MS.exec(envelopeEnd) ?? [];
  return ms === undefined ? null : Number(ms);
}
