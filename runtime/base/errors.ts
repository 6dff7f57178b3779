// Error classes. Invalid input throws an `SvcError` with a code of the table; the interface's own
// exceptions (ResponseError, RequestError) are subclasses.

import { brandClass } from "./brand.js";
import type { ErrorCodeName } from "./error-codes.js";

const CODE = /^SVC\d{4}$/;

/**
 * Returns whether a code that another thread sent is one of ours, by its form: only code that
 * prints errors needs the table.
 */
export function isOwnCode(code: string): code is ErrorCodeName {
  return CODE.test(code);
}

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
 * A query parameter or body that does not convert. Answered with 400, or 404 for a LookupError, and
 * `message.svc` (http-interface, "Error body"); `exceptionName` is the class named in the answer.
 */
export class ParameterError extends SvcError {
  override name = "ParameterError";
  constructor(
    readonly exceptionName: "TypeError" | "ValueError" | "LookupError" | "QueryError",
    message: string,
  ) {
    super("SVC2001", message);
  }
}

export const isParameterError = brandClass(ParameterError, "ParameterError");

/** An argument of a library call or an assigned attribute with a wrong type or value. */
export class ArgumentError extends SvcError {
  constructor(
    readonly exceptionName: "TypeError" | "ValueError",
    message: string,
  ) {
    super("SVC2101", message);
    this.name = exceptionName;
  }
}

/** A PluginRequest that cannot be made, forwarded or resubmitted. */
export class RequestError extends SvcError {
  override name = "RequestError";
  constructor(message: string) {
    super("SVC2102", message);
  }
}

/**
 * A PluginResponse that rejects an entry (http-interface, "Errors"), or a corrupt serialized one.
 */
export class ResponseError extends SvcError {
  override name = "ResponseError";
  constructor(message: string, code: "SVC2103" | "SVC2105" = "SVC2103", options?: ErrorOptions) {
    super(code, message, options);
  }
}

/** A plugin that cannot be registered or loaded. */
export class PluginError extends SvcError {
  override name = "PluginError";
  constructor(message: string, options?: ErrorOptions) {
    super("SVC2104", message, options);
  }
}
