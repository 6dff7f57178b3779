// The name that a client gives a request, so that it is found in the logs of all who saw it.

import { headerValue } from "./request-text.js";

export const REQUEST_ID_HEADER = "X-Request-Id";

/** Anything else could be read as something else where it is logged. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** Null for what is no id. */
export function asRequestId(value: string): string | null {
  return REQUEST_ID.test(value) ? value : null;
}

/** That of a request with these header lines; null where the client gave none that can be used. */
export function requestId(block: string): string | null {
  const value = headerValue(block, REQUEST_ID_HEADER);
  return value === undefined ? null : asRequestId(value);
}
