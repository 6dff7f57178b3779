// Serializes a PluginRequest as the HTTP request that a dispatcher forwards. Parameters keep their
// types: an integer is sent as `(q)n`, another number as `(d)x`, a key without value as the bare
// key.

import { RequestError } from "../../base/errors.js";
import { typeName } from "./describe-error.js";
import { jsonText } from "./json-text.js";
import { MEDIA_TYPES } from "./media-types.js";
import { latin1ToUtf8 } from "./wire-text.js";

export const DEADLINE_HEADER = "X-SVC-Deadline";
export const TARGET_HEADER = "X-SVC-Partial-Target";
/** Key that selects the instance for the request, percent-encoded. */
export const KEY_HEADER = "X-SVC-Key";
/** Dispatchers that forwarded a request unchanged, separated by commas. */
export const VIA_HEADER = "X-SVC-Via";

/** Signature of the dispatcher that sent a request. */
export const SIGNATURE_HEADER = "X-SVC-Signed";

/** Rewritten for every hop, or valid for one connection only. */
const HOP_HEADERS = new Set([
  "accept",
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  DEADLINE_HEADER.toLowerCase(),
  TARGET_HEADER.toLowerCase(),
  KEY_HEADER.toLowerCase(),
  VIA_HEADER.toLowerCase(),
  SIGNATURE_HEADER.toLowerCase(),
]);

/** Required by HTTP/1.1; the back-end of a request made by a plugin is chosen later. */
const HOST_LINE = "Host: svc\r\n";
const HAS_HOST = /^host:/im;

const SPACE = 32;
const TAB = 9;

const UNRESERVED = /^[A-Za-z0-9_.~-]$/;
const BYTE_TEXTS = Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte);
  if (UNRESERVED.test(char)) return char;
  return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
});

const PLAIN_PATH = /^[A-Za-z0-9_.~/-]*$/;

/** The parts of a serialized request. */
export interface RequestParts {
  readonly method: "GET" | "POST";
  /** Path and query, latin1. */
  readonly target: string;
  /** The request's header lines, each with CR LF, latin1. */
  readonly headerBlock: string;
  /** Target partition, of any size. */
  readonly partial: bigint | null;
  readonly key: string | null;
  readonly content: Uint8Array | null;
  /** Replaces the Content-Type of `headerBlock`; null keeps it. */
  readonly contentType: string | null;
}

/** Returns the bytes of the whole HTTP request. */
export function requestBytes(parts: RequestParts): Uint8Array {
  const { content, contentType, partial, key } = parts;
  const isTypeReplaced = contentType !== null || content === null;
  const block = withoutHopHeaders(parts.headerBlock, isTypeReplaced);
  let head = `${parts.method} ${parts.target} HTTP/1.1\r\n${block}`;
  if (!HAS_HOST.test(block)) head += HOST_LINE;
  head += `Accept: ${MEDIA_TYPES.partial}\r\n`;
  if (partial !== null) head += `${TARGET_HEADER}: ${partial}\r\n`;
  if (key !== null) head += `${KEY_HEADER}: ${percentEncode(key)}\r\n`;
  if (content === null) return Uint8Array.from(Buffer.from(`${head}\r\n`, "latin1"));
  if (contentType !== null) head += `Content-Type: ${contentType}\r\n`;
  head += `Content-Length: ${content.length}\r\n\r\n`;
  const bytes = new Uint8Array(head.length + content.length);
  bytes.set(Buffer.from(head, "latin1"));
  bytes.set(content, head.length);
  return bytes;
}

/**
 * Returns the forwarded header lines; `Content-Type` only while the content is unchanged. Removes
 * hop-by-hop fields, including those named by the client's `Connection`; Host is kept, because HTTP
 * requires it.
 */
export function withoutHopHeaders(block: string, isTypeReplaced = false): string {
  const lines = block.split("\r\n").filter((line) => line !== "");
  const named = new Set(lines.flatMap(connectionOptions));
  named.delete("host");
  if (isTypeReplaced) named.add("content-type");
  let forwarded = "";
  for (const line of lines) {
    const name = nameOf(line);
    if (!named.has(name) && !HOP_HEADERS.has(name)) forwarded += `${line}\r\n`;
  }
  return forwarded;
}

function nameOf(line: string): string {
  return line.slice(0, line.indexOf(":")).toLowerCase();
}

/** Returns the names in a `Connection` line, none for other lines. */
function connectionOptions(line: string): string[] {
  if (nameOf(line) !== "connection") return [];
  const value = line.slice(line.indexOf(":") + 1).toLowerCase();
  return value.split(",").map((option) => fieldValue(option, 0, option.length));
}

/**
 * Returns the query of a set of parameters, without `?`.
 * @throws RequestError for a value that a query cannot encode
 */
export function queryText(params: Readonly<Record<string, unknown>>): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(params)) {
    const key = percentEncode(name);
    pairs.push(value === null || value === undefined ? key : `${key}=${valueText(value)}`);
  }
  return pairs.join("&");
}

function valueText(value: unknown): string {
  switch (typeof value) {
    case "string":
      return percentEncode(value);
    case "number":
      if (Number.isSafeInteger(value)) return `(q)${value}`;
      if (Number.isFinite(value)) return `(d)${percentEncode(String(value))}`;
      break;
    case "bigint":
      if (Number.isSafeInteger(Number(value))) return `(q)${value}`;
      break;
    case "boolean":
      return String(value);
    case "object":
      // JSON must reach a `json` parameter of the back-end unchanged.
      return value instanceof Uint8Array
        ? percentEncodeBytes(value)
        : percentEncode(jsonText(value));
  }
  throw new RequestError(`unsupported parameter type: ${typeName(value)}`);
}

/** Encodes a decoded path for a request line: no byte of it can end the line. */
export function encodedPath(path: string): string {
  return PLAIN_PATH.test(path) ? path : path.split("/").map(percentEncode).join("/");
}

/** Returns the target of a plugin request without prefix: `/svc/plugin/<name>?…`. */
export function withoutPrefix(target: string): string {
  if (target.startsWith("/svc/")) return target;
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  // Names have no slashes, so the last match follows the prefix.
  const at = Math.max(path.lastIndexOf("/plugin/"), path.lastIndexOf("/builtin/"));
  return at < 0 ? target : `/svc${target.slice(at)}`;
}

/** Percent-encodes all UTF-8 bytes of a text except unreserved characters. */
export function percentEncode(text: string): string {
  return percentEncodeBytes(Buffer.from(text, "utf8"));
}

function percentEncodeBytes(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += BYTE_TEXTS[byte]!;
  return text;
}

/**
 * Returns a field value without surrounding blanks. `trim` would also remove bytes such as A0,
 * which may end a UTF-8 character or falsify a length.
 */
export function fieldValue(block: string, start: number, end: number): string {
  while (start < end && isBlank(block.charCodeAt(start))) start++;
  while (end > start && isBlank(block.charCodeAt(end - 1))) end--;
  return block.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

/** Returns the value of a header field in a header block; the last one wins. */
export function headerValue(block: string, name: string): string | undefined {
  const lowerName = name.toLowerCase();
  let value: string | undefined;
  for (const line of block.split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0 && line.slice(0, colon).toLowerCase() === lowerName) {
      value = latin1ToUtf8(fieldValue(line, colon + 1, line.length));
    }
  }
  return value;
}
