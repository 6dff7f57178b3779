// Error classes. Whatever fails on bad input throws an `SvcError` with a code of the table; the
// interface's own exceptions (ResponseError, RequestError) are subclasses.

import type { ErrorCodeName } from "./error-codes.js";

/** Any failure caused by input or configuration. `code` is a key of `ERROR_CODES`. */
export class SvcError extends Error {
  override name = "SvcError";
  constructor(
    readonly code: ErrorCodeName,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * A query parameter or body that does not convert. Answered with 400 and `message.svc`
 * (interface, "Error body"); `exceptionName` is the class named in the answer.
 */
export class ParameterError extends SvcError {
  override name = "ParameterError";
  constructor(
    readonly exceptionName: "TypeError" | "ValueError" | "LookupError",
    message: string,
  ) {
    super("SVC2001", message);
  }
}
