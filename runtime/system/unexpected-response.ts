// Validates responses of instances. An unexpected one is reported as a fault of that instance; the
// command continues with the others.

import { SvcError } from "../base/errors.js";

/**
 * Returns the message for an error while reading a response.
 * @throws any other error unchanged
 */
export function unexpectedResponse(who: string, error: unknown): SvcError {
  if (error instanceof SvcError) return error;
  // Errors such as members that do not exist, and values nested too deeply.
  if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
  const text = `unexpected response from ${who}: ${error.message}`;
  return new SvcError("SVC3302", text, { cause: error });
}
