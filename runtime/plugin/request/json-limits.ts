// Limits of JSON texts of clients. The time that V8 takes for nesting and for the keys of an object
// grows faster than the text. This module counts both before the text is parsed.

import { MAX_JSON_DEPTH, MAX_JSON_KEYS } from "../../base/limits.js";

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Returns which limit a text exceeds, or null. Texts that are not JSON are for the parser. */
export function exceededJsonLimit(text: string): string | null {
  // A shorter text cannot exceed either limit.
  if (text.length <= MAX_JSON_DEPTH) return null;
  const keys = new Uint32Array(MAX_JSON_DEPTH + 1);
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
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
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before--;
  return (at - before) % 2 === 0;
}
