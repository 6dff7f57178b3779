// A request and its answer as `svc serve --record` writes them and `svc replay` reads them: one
// line of JSON each. Fields that tell who a client is are never among them.

import { createHash } from "node:crypto";
import { INLINE_BODY_BYTES } from "../base/limits.js";
import { MEDIA_TYPES } from "../plugin/contract/media-types.js";

/** The only header fields that are recorded: what an answer may depend on. */
export const RECORDED_FIELDS = ["accept", "content-type", "x-svc-partial-target"] as const;

/** Of the first line of what one start has recorded. */
export const RECORD_VERSION = 1;

/** The first line of what one start has recorded. */
export interface RecordHead {
  readonly record: typeof RECORD_VERSION;
  readonly service: string | null;
  readonly every: number;
  readonly bodies: boolean;
}

export interface RecordedRequest {
  /** When it came, milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  /** Path and query, latin1, as received. */
  readonly target: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Length of its body. */
  readonly sent: number;
  /** Its body in base64; only where bodies are recorded and it is not too large. */
  readonly body?: string;
  readonly status: number;
  /** Milliseconds until the answer was ready. */
  readonly ms: number;
  /** Length of what is compared of the answer; null for streams and what failed. */
  readonly bytes: number | null;
  /** Of what is compared of the answer; null where `bytes` is, and for large ones. */
  readonly digest: string | null;
  /** What is compared, in base64; only where bodies are recorded and it is not too large. */
  readonly answer?: string;
}

/** What is compared of an answer. */
export interface ComparableResponse {
  readonly bytes: number | null;
  readonly digest: string | null;
  /** Null where it is too large, or nothing is compared. */
  readonly content: Buffer | null;
  /** Milliseconds that the server says it took; null where it does not. */
  readonly ms: number | null;
}

const NOT_COMPARED: ComparableResponse = { bytes: null, digest: null, content: null, ms: null };
const FIRST_ERROR = 400;
const DIGEST_DIGITS = 16;
/** Behind the result: where it was made, and how long it took. Those differ each time. */
const ENVELOPE_END = ', "level": ';
const MAX_ENVELOPE_END = 1024;
const EXEC_MS = /"exec_ms": (\d+\.\d+)/;

/**
 * What of an answer is the same whenever the same is asked: the result, without the end of the
 * envelope. Errors are compared by their status alone: their tracebacks change with each release.
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
