// What an instance answers is not believed to be what this version knows. Where it is not, that is
// told of the instance: it is no fault of the command, and others are looked after all the same.

import { SvcError } from "../../runtime/base/errors.js";

/**
 * What is told of an error that came up on the way through an answer.
 * @throws whatever has another cause
 */
export function unexpectedResponse(who: string, error: unknown): SvcError {
  if (error instanceof SvcError) return error;
  // Such as texts of what has none, and values that are nested too deep.
  if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
  const text = `${who} answers what this version of svc does not know: ${error.message}`;
  return new SvcError("SVC3302", text, { cause: error });
}
