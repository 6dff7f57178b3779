// Limits of JSON texts from clients. The time that V8 needs for nesting and for the keys of an
// object grows faster than the text. Both are counted before the text is decoded and parsed, which
// works because no byte of a longer UTF-8 sequence equals a quote or bracket.

import { MAX_JSON_DEPTH, MAX_JSON_KEYS } from "../../base/limits.js";

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** A native search costs more than a loop over this many bytes. */
const SHORT_STRING_BYTES = 64;

/** Returns the limit that a text exceeds, or null; invalid JSON is left to the parser. */
export function exceededJsonLimit(json: string | Buffer): string | null {
  // A shorter text cannot exceed either limit.
  if (json.length <= MAX_JSON_DEPTH) return null;
  return findExceeded(typeof json === "string" ? Buffer.from(json) : json);
}

function findExceeded(bytes: Buffer): string | null {
  const keys = new Uint32Array(MAX_JSON_DEPTH + 1);
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at];
    if (code === QUOTE) {
      at = endOfString(bytes, at + 1);
      if (at < 0) return null;
    } else if (code === COLON) {
      if (++keys[depth]! > MAX_JSON_KEYS) return `more than ${MAX_JSON_KEYS} keys in one object`;
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      if (++depth > MAX_JSON_DEPTH) return `nested deeper than ${MAX_JSON_DEPTH} levels`;
      keys[depth] = 0;
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth = Math.max(0, depth - 1);
  }
  return null;
}

/** Offset of the quote that ends a string, -1 without one. */
function endOfString(bytes: Buffer, start: number): number {
  for (let at = start; at < bytes.length; ) {
    const near = Math.min(bytes.length, at + SHORT_STRING_BYTES);
    for (; at < near; at++) {
      if (bytes[at] === QUOTE) return at;
      if (bytes[at] === BACKSLASH) at++;
    }
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0 || !isEscaped(bytes, quote, at)) return quote;
    at = quote + 1;
  }
  return -1;
}

/** @param start offset of the first byte to check, which is not itself escaped */
function isEscaped(bytes: Buffer, at: number, start: number): boolean {
  let before = at - 1;
  while (before >= start && bytes[before] === BACKSLASH) before--;
  return (at - before) % 2 === 0;
}
