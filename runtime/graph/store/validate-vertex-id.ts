// Validates new vertex ids. Lookups need no validation: an invalid id is not found.

import { MAX_STRING } from "../model/constants.js";
import { ValueError, VertexError } from "../model/errors.js";

const CONTROL = 0x1f;
const SURROGATE = /\p{Surrogate}/u;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Returns the id if it is valid: a string, or UTF-8 bytes, of 1 to 131,000 bytes.
 * @throws SvcError SVC2405 if it is invalid, SVC2411 if bytes are not UTF-8
 * @throws TypeError if it is neither a string nor bytes
 */
export function validateVertexId(id: unknown): string {
  const text = id instanceof Uint8Array ? decodeUtf8(id) : id;
  if (typeof text !== "string") throw new TypeError("a vertex identifier must be a string");
  if (text === "") throw new VertexError("Cannot create object: '' (empty vertex identifier)");
  // A text never has more UTF-16 units than bytes.
  const bytes = text.length * 3 > MAX_STRING ? Buffer.byteLength(text) : text.length;
  if (bytes > MAX_STRING) {
    throw new VertexError(`Vertex identifier too long (${bytes}), max length is ${MAX_STRING}`);
  }
  let seen = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    seen |= code;
    if (code <= CONTROL) rejectCharacter(text, index);
  }
  if (seen > 0x7f && SURROGATE.test(text)) rejectCharacter(text, text.search(SURROGATE));
  return text;
}

function rejectCharacter(id: string, position: number): never {
  const code = id.charCodeAt(position).toString(16).toUpperCase().padStart(2, "0");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  const shown = id.replace(/[\0-\x1f]/g, ".").slice(0, 100);
  const reason = `illegal vertex identifier, char ${code}h at position ${position}`;
  throw new VertexError(`Cannot create object: '${shown}' (${reason})`);
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw new ValueError("a vertex identifier must be UTF-8", { cause: error });
  }
}
