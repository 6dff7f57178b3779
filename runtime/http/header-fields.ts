// Parses the header section of a request: validates the syntax of all lines at once, then reads the
// framing fields and the fields that the server uses. Anything ambiguous is rejected: two parsers
// that disagree about the end of a request allow request smuggling.

import { MAX_HEADER_FIELDS, MAX_HEADER_LINE_BYTES, MAX_QUEUE } from "../base/limits.js";
import { decodeKey } from "../plugin/contract/key-header.js";
import { MEDIA_TYPES } from "../plugin/contract/media-types.js";
import { asRequestId } from "../plugin/contract/request-id.js";
import type { Accept } from "../plugin/contract/request-source.js";
import { fieldValue } from "../plugin/contract/request-text.js";
import {
  type HttpRejection,
  INVALID_HEADER,
  INVALID_KEY,
  INVALID_TARGET,
  UNSUPPORTED_CONTENT_CODING,
} from "./rejections.js";
import type { RequestHeaders } from "./transport.js";

/**
 * Whole lines only: a token, directly followed by a colon, and a value without control characters.
 */
const LINES = /^(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n)*$/;
/** A host and port in the characters of RFC 3986; empty if the target names no host. */
const HOST = /^[A-Za-z0-9\-._~%!$&'()*+,;=:[\]]*$/;
const CLOSE = /(?:^|[ \t,])close(?:$|[ \t,])/i;
const DIGITS = /^\d+$/;
const DEADLINE = /^\d{1,9}$/;
const QUEUE = /^(?:queue)?(\d+)$/i;
/** Fields that `readField` handles; names of any other length are skipped. */
const NAMES = [
  "host",
  "accept",
  "origin",
  "sec-fetch-site",
  "expect",
  "forwarded",
  "x-svc-via",
  "x-svc-key",
  "x-svc-trunk",
  "x-request-id",
  "connection",
  "x-svc-argspec",
  "x-svc-explain",
  "x-svc-deadline",
  "content-length",
  "transfer-encoding",
  "x-svc-bypass-sout",
  "x-forwarded-for",
  "x-svc-partial-target",
  "x-svc-builtin-min-executor",
];
const CREDENTIAL = /^authorization:/i;
const NAME_LENGTHS: ReadonlySet<number> = new Set(NAMES.map((name) => name.length));

/** Returns whether every line of `block` is well formed; each line ends with CR LF. */
export function isValidHeaderBlock(block: string): boolean {
  return LINES.test(block);
}

/** Returns whether the line may be longer than others: tokens can list many groups of a user. */
export function isCredential(line: string): boolean {
  return CREDENTIAL.test(line);
}

export class HeaderFields implements RequestHeaders {
  accept: Accept = "json";
  bypassServiceOut = false;
  minQueue = 0;
  partialTarget: bigint | null = null;
  key: string | null = null;
  via = "";
  isExplained = false;
  deadlineMs = 0;
  hasArgspec = false;
  requestId: string | null = null;
  isFromPage = false;
  isForwarded = false;
  /** A dispatcher offers to upgrade the connection to a trunk. */
  offersTrunk = false;
  count = 0;
  /** Declared length of the body in bytes, -1 when not declared. */
  contentLength = -1;
  chunked = false;
  /** The client asked to close the connection after this request. */
  closes = false;
  /** Value of `Expect` in lower case, null if absent. */
  expect: string | null = null;
  #values: Map<string, string> | null = null;

  constructor(readonly block: string) {}

  get(name: string): string | undefined {
    this.#values ??= new Map(this.entries());
    return this.#values.get(name);
  }

  /** Yields lower-case names and trimmed values in the order received. */
  *entries(): Generator<[string, string]> {
    const { block } = this;
    for (let at = 0; at < block.length; ) {
      const end = block.indexOf("\r\n", at);
      const colon = block.indexOf(":", at);
      yield [block.slice(at, colon).toLowerCase(), fieldValue(block, colon + 1, end)];
      at = end + 2;
    }
  }
}

/**
 * Parses a header block: lines as received, each with its CR LF, without the empty line.
 * @returns the fields, or the rejection to answer with
 */
export function readHeaderFields(
  block: string,
  maxFields = MAX_HEADER_FIELDS,
): HeaderFields | HttpRejection {
  if (!isValidHeaderBlock(block)) return INVALID_HEADER;
  const fields = new HeaderFields(block);
  let hosts = 0;
  let codings: string | null = null;
  for (let at = 0; at < block.length; ) {
    const end = block.indexOf("\r\n", at);
    if (end - at > MAX_HEADER_LINE_BYTES && !isCredential(block.slice(at, end)))
      return INVALID_HEADER;
    if (++fields.count > maxFields) return INVALID_HEADER;
    const colon = block.indexOf(":", at);
    if (NAME_LENGTHS.has(colon - at)) {
      const name = block.slice(at, colon).toLowerCase();
      const value = fieldValue(block, colon + 1, end);
      if (name === "host") {
        if (++hosts > 1 || !HOST.test(value)) return INVALID_HEADER;
      } else if (name === "transfer-encoding") {
        codings = codings === null ? value : `${codings},${value}`;
      } else if (name === "x-svc-partial-target") {
        // Not ignored like other invalid fields: the request would go to all partitions.
        if (!DIGITS.test(value)) return INVALID_TARGET;
        fields.partialTarget = BigInt(value);
      } else if (name === "x-svc-key") {
        const key = fields.key === null ? decodeKey(value) : null;
        if (key === null) return INVALID_KEY;
        fields.key = key;
      } else if (!readField(fields, name, value)) return INVALID_HEADER;
    }
    at = end + 2;
  }
  if (hosts === 0) return INVALID_HEADER;
  return codings === null ? fields : readCodings(fields, codings);
}

/** @returns false if the value is not acceptable */
function readField(fields: HeaderFields, name: string, value: string): boolean {
  switch (name) {
    case "accept":
      fields.accept = acceptOf(value);
      return true;
    case "origin":
    case "sec-fetch-site":
      fields.isFromPage = true;
      return true;
    case "forwarded":
    case "x-forwarded-for":
      fields.isForwarded = true;
      return true;
    case "x-request-id":
      fields.requestId = asRequestId(value);
      return true;
    case "expect":
      fields.expect = value.toLowerCase();
      return true;
    case "connection":
      fields.closes ||= CLOSE.test(value);
      return true;
    case "content-length":
      // A duplicate is rejected even with an equal value.
      if (fields.contentLength >= 0 || !DIGITS.test(value)) return false;
      fields.contentLength = Number(value);
      return true;
    case "x-svc-bypass-sout":
      fields.bypassServiceOut = Number(value) > 0;
      return DIGITS.test(value);
    case "x-svc-via":
      fields.via = value;
      return true;
    case "x-svc-trunk":
      fields.offersTrunk = true;
      return true;
    case "x-svc-explain":
      fields.isExplained = Number(value) > 0;
      return true;
    case "x-svc-deadline":
      fields.deadlineMs = DEADLINE.test(value) ? Number(value) : 0;
      return true;
    case "x-svc-argspec":
      fields.hasArgspec = true;
      return true;
    case "x-svc-builtin-min-executor":
      fields.minQueue = Math.min(MAX_QUEUE, Number(QUEUE.exec(value)?.[1] ?? 0));
      return true;
    default:
      return true;
  }
}

function readCodings(fields: HeaderFields, codings: string): HeaderFields | HttpRejection {
  if (fields.contentLength >= 0) return INVALID_HEADER;
  // Split by hand: a regular expression would backtrack over long runs of blanks.
  const names = codings
    .toLowerCase()
    .split(",")
    .map((name) => fieldValue(name, 0, name.length));
  if (names.includes("")) return INVALID_HEADER;
  if (names.some((name) => name !== "chunked")) return UNSUPPORTED_CONTENT_CODING;
  if (names.length > 1) return INVALID_HEADER;
  fields.chunked = true;
  return fields;
}

/** Compares by prefix; unknown values mean JSON. */
function acceptOf(value: string): Accept {
  const type = value.slice(0, 32).toLowerCase();
  if (type.startsWith(MEDIA_TYPES.text)) return "text";
  if (type.startsWith(MEDIA_TYPES.partial)) return "partial";
  return "json";
}
