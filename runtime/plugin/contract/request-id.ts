// The id by which a client identifies a request in the logs of all instances.

import { headerValue } from "./request-text.js";

export const REQUEST_ID_HEADER = "X-Request-Id";

/** Printable ASCII only, to prevent log injection. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** Returns null for an invalid id. */
export function asRequestId(value: string): string | null {
  return REQUEST_ID.test(value) ? value : null;
}

/** Returns the id in these header lines; null without a valid one. */
export function requestId(block: string): string | null {
  const value = headerValue(block, REQUEST_ID_HEADER);
  return value === undefined ? null : asRequestId(value);
}
