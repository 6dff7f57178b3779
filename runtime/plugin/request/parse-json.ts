// Parses JSON from clients, in parameters and bodies. Limits of bodies are checked before decoding,
// so that a body that exceeds a limit costs little.

import { isUtf8 } from "node:buffer";
import { ParameterError } from "../../base/errors.js";
import { exceededJsonLimit } from "./json-limits.js";

/**
 * Parses JSON without keys `__proto__`: copying the object key by key would turn them into
 * prototypes.
 * @param label used in the error message
 * @throws ParameterError for invalid JSON, and above the limits of clients
 */
export function parseJson(text: string, label: string): unknown {
  requireJsonLimits(text, label);
  return parseDecodedJson(text, label);
}

/**
 * Returns the text of JSON that does not exceed the limits of clients, for `parseDecodedJson`.
 * @throws ParameterError above the limits, and for bytes that are not UTF-8
 */
export function decodeJson(bytes: Buffer, label: string): string {
  requireJsonLimits(bytes, label);
  return decodeUtf8(bytes, label);
}

/** @throws ParameterError for bytes that are not UTF-8 */
export function decodeUtf8(bytes: Buffer, label: string): string {
  if (!isUtf8(bytes)) throw new ParameterError("ValueError", `${label} (invalid UTF-8)`);
  return bytes.toString("utf8");
}

/** @throws ParameterError for invalid JSON */
export function parseDecodedJson(text: string, label: string): unknown {
  try {
    const mayHideProto = text.includes("__proto__") || text.includes("\\u");
    return mayHideProto ? JSON.parse(text, withoutProto) : JSON.parse(text);
  } catch {
    throw new ParameterError("ValueError", `${label} (invalid JSON)`);
  }
}

function requireJsonLimits(json: string | Buffer, label: string): void {
  const exceeded = exceededJsonLimit(json);
  if (exceeded !== null) throw new ParameterError("ValueError", `${label} (${exceeded})`);
}

function withoutProto(key: string, value: unknown): unknown {
  return key === "__proto__" ? undefined : value;
}
