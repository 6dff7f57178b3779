// Parses the first line of a request. An incomplete line is rejected as soon as it can no longer
// become valid.

import { MAX_HEAD_BYTES, MAX_REQUEST_LINE_BYTES } from "../../base/limits.js";
import type { Ident } from "../../plugin/contract/request-source.js";
import {
  type HttpRejection,
  INVALID_REQUEST_LINE,
  URI_TOO_LONG,
  VERSION_NOT_SUPPORTED,
} from "../rejections.js";
import type { Method } from "../transport.js";

const METHODS: readonly string[] = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "OPTIONS",
  "DELETE",
  "CONNECT",
  "TRACE",
] satisfies Method[];
const IDENT_WORD = "XSVCIDENT";
const TRUNK_WORD = "XSVCTRUNK";
const LINE = /^[A-Z]+ [\x21-\x7e\x80-\xff]+ HTTP\/\d\.\d$/;
const VERSION = " HTTP/1.1";
const IDENT = /^XSVCIDENT((?: \d{1,9}){7})$/;
/** Prefix of a valid line: a word, then any printable characters. */
const BEGINNING = /^([A-Z]*)(?:( )[\x20-\x7e\x80-\xff]*)?\r?$/;
const ABSOLUTE = /^https?:\/\/([^/?#@]+)((?:[/?][^#]*)?)$/i;
const AUTHORITY = /^[^/?#@]+:\d+$/;

export interface RequestLine {
  readonly method: Method;
  /** Path and query, or `*`, or the authority of a CONNECT. */
  readonly target: string;
}

/** Parses a complete line, given without its CR LF; the caller limits its length. */
export function readRequestLine(line: string): RequestLine | HttpRejection {
  // Groups of the expression would be allocated for each request.
  if (!LINE.test(line)) return INVALID_REQUEST_LINE;
  const wordEnd = line.indexOf(" ");
  const method = line.slice(0, wordEnd) as Method;
  if (!METHODS.includes(method)) return INVALID_REQUEST_LINE;
  if (!line.endsWith(VERSION)) return VERSION_NOT_SUPPORTED;
  const target = line.slice(wordEnd + 1, -VERSION.length);
  if (target.charCodeAt(0) === 47 /* slash */) return { method, target };
  return readOtherTarget(method, target);
}

/** Parses targets that are not a path: an absolute URL, `*`, the authority of a tunnel. */
function readOtherTarget(method: Method, target: string): RequestLine | HttpRejection {
  if (method === "CONNECT") {
    return AUTHORITY.test(target) ? { method, target } : INVALID_REQUEST_LINE;
  }
  if (target === "*") return method === "OPTIONS" ? { method, target } : INVALID_REQUEST_LINE;
  const url = ABSOLUTE.exec(target);
  if (url === null) return INVALID_REQUEST_LINE;
  const path = url[2]!;
  return { method, target: path.startsWith("/") ? path : `/${path}` };
}

/** Returns the rejection of an incomplete line that cannot become valid, else null. */
export function validateRequestLinePrefix(text: string): HttpRejection | null {
  if (text.length > MAX_HEAD_BYTES) return URI_TOO_LONG;
  // Later bytes are validated with the whole line, not again with every packet.
  const match = BEGINNING.exec(text.slice(0, MAX_REQUEST_LINE_BYTES));
  if (match === null) return INVALID_REQUEST_LINE;
  const word = match[1]!;
  const isKnown = match[2] === undefined ? isBeginningOfWord(word) : isWord(word);
  return isKnown ? null : INVALID_REQUEST_LINE;
}

function isWord(word: string): boolean {
  return word === IDENT_WORD || word === TRUNK_WORD || METHODS.includes(word);
}

function isBeginningOfWord(word: string): boolean {
  return [IDENT_WORD, TRUNK_WORD, ...METHODS].some((known) => known.startsWith(word));
}

/**
 * Parses the line by which a dispatcher identifies itself: seven numbers, no response.
 * @returns null if the line is something else
 */
export function parseIdentLine(line: string): Ident | null {
  const match = IDENT.exec(line);
  if (match === null) return null;
  const [width, height, depth, partition, replica, channel, primary] = match[1]!
    .trim()
    .split(" ")
    .map(Number) as [number, number, number, number, number, number, number];
  return [width, height, depth, partition, replica, channel, primary];
}
