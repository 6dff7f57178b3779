// Validates values that plugin code assigns to a PluginRequest.

import { ArgumentError, RequestError } from "../../base/errors.js";
import { MAX_FLAG_BYTES } from "../../base/limits.js";
import { typeName } from "../contract/describe-error.js";
import { isKey, MAX_KEY_BYTES } from "../contract/key-header.js";

const SIGNATURE = /^[0-9a-f]{32}$/i;

/** Returns a partition or row; null for negative numbers. */
export function indexOrNull(value: unknown, name: string): number | null {
  if (value === null || value === undefined) return null;
  if (!Number.isSafeInteger(value)) throw new ArgumentError("TypeError", `${name} must be int`);
  return (value as number) < 0 ? null : (value as number);
}

/**
 * Returns the target partition in the header field of a request created by a plugin; received ones
 * are validated already.
 * @throws RequestError for an invalid number, which must not send the request to all partitions
 */
export function targetFrom(text: string): bigint {
  if (/^\d+$/.test(text)) return BigInt(text);
  throw new RequestError(`X-SVC-Partial-Target must be a non-negative integer, not ${text}`);
}

/** @throws ArgumentError for a key that no header field can carry */
export function keyOrNull(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== "string") throw new ArgumentError("TypeError", "key must be str");
  if (isKey(value)) return value;
  throw new ArgumentError("ValueError", `key must have 1 to ${MAX_KEY_BYTES} bytes`);
}

export function parsePrimary(value: unknown): 0 | 1 {
  if (typeof value !== "boolean" && !Number.isSafeInteger(value)) {
    throw new ArgumentError("TypeError", "primary must be int");
  }
  return value ? 1 : 0;
}

export function parseFlag(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== "string") throw new ArgumentError("TypeError", "flag must be string");
  if (Buffer.byteLength(value) <= MAX_FLAG_BYTES) return value;
  throw new ArgumentError("ValueError", "too many characters in flag");
}

/** Returns undefined for a signature that is computed when it is next read. */
export function signatureFrom(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== "string") {
    throw new ArgumentError("TypeError", `signature must be str, not ${typeName(value)}`);
  }
  if (SIGNATURE.test(value)) return value;
  throw new ArgumentError("ValueError", "invalid signature");
}
