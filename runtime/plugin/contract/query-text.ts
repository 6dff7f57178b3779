// Parses a query in place. The query stays the latin1 text it arrived as (one character per byte);
// keys and values are offsets until a converter needs them:
//
//     a=1&name=b%20c&flag
//     ^start  ^equals    ^equals: where the pair ends, as it has no "="

import { isUtf8 } from "node:buffer";
import { ParameterError } from "../../base/errors.js";

const AMPERSAND = 38;
const EQUALS = 61;
const PERCENT = 37;
const PLUS = 43;
const BLANK = 32;

/** Returns the part of a request target after the first `?`; empty if there is none. */
export function queryStart(target: string): string {
  const mark = target.indexOf("?");
  return mark < 0 ? "" : target.slice(mark + 1);
}

/** Returns the offset of the pair's first `=`, or of its end when it has none. */
export function keyEnd(query: string, start: number): number {
  for (let at = start; at < query.length; at++) {
    const char = query.charCodeAt(at);
    if (char === EQUALS || char === AMPERSAND) {
      return at;
    }
  }
  return query.length;
}

/**
 * Returns the offset of the `&` that ends the pair, or the query's length. `from`: anywhere in the
 * pair.
 */
export function pairEnd(query: string, from: number): number {
  const end = query.indexOf("&", from);
  return end < 0 ? query.length : end;
}

/** Returns the decoded key between two offsets. */
export function readKey(query: string, start: number, end: number): string {
  return decodeText(query, start, end);
}

/**
 * Returns whether the pair whose key ends at `equals` has a value; `k` has none, `k=` an empty one.
 */
export function hasValue(query: string, equals: number): boolean {
  return query.charCodeAt(equals) === EQUALS;
}

/**
 * Decodes `+`, `%XX` and UTF-8 between two offsets.
 * @throws ParameterError for an invalid escape or invalid UTF-8
 */
export function decodeText(query: string, start: number, end: number): string {
  if (isPlain(query, start, end)) {
    return query.slice(start, end);
  }
  const bytes = unescapeBytes(query, start, end);
  if (!isUtf8(bytes)) {
    throw badParameter();
  }
  return bytes.toString("utf8");
}

/** Decodes `+` and `%XX` between two offsets into a new byte array. */
export function decodeBytes(query: string, start: number, end: number): Uint8Array {
  return Uint8Array.from(unescapeBytes(query, start, end));
}

/**
 * Returns whether the text needs no decoding: ASCII without escapes, by far the most common case.
 */
function isPlain(query: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const char = query.charCodeAt(at);
    if (char === PERCENT || char === PLUS || char > 127) {
      return false;
    }
  }
  return true;
}

function unescapeBytes(query: string, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(end - start);
  let length = 0;
  for (let at = start; at < end; at++) {
    const char = query.charCodeAt(at);
    if (char === PERCENT) {
      const high = at + 2 < end ? hexDigit(query.charCodeAt(at + 1)) : -1;
      const low = at + 2 < end ? hexDigit(query.charCodeAt(at + 2)) : -1;
      if (high < 0 || low < 0) {
        throw badParameter();
      }
      bytes[length++] = high * 16 + low;
      at += 2;
    } else {
      bytes[length++] = char === PLUS ? BLANK : char;
    }
  }
  return bytes.subarray(0, length);
}

function hexDigit(char: number): number {
  if (char >= 48 && char <= 57) {
    return char - 48;
  }
  const letter = char | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

function badParameter(): ParameterError {
  return new ParameterError("ValueError", "bad request parameter");
}
