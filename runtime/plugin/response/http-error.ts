// An error that a plugin sends to its client, with a status of its choice and without details of
// its code.

import { brandClass } from "../../base/brand.js";
import { ArgumentError } from "../../base/errors.js";
import { headerLines } from "./header-lines.js";

/**
 * Thrown by a plugin to answer with a status of its choice (http-interface, "Error body", kind
 * `plugin`). 429 and 503 mean that nothing was executed: dispatchers and clients retry such a
 * request.
 *
 * @example throw new HttpError(404, "no such product", { id });
 */
export class HttpError extends Error {
  /**
   * @param status 400 to 599
   * @param message for the client
   * @param details any value that JSON can represent, for programs
   * @param headers further header fields of the response, such as `Retry-After`
   * @throws ArgumentError for an invalid status, or a header field that cannot be sent
   */
  constructor(
    readonly status: number,
    message: string,
    readonly details?: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    headerLines(headers);
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new ArgumentError("ValueError", `status of an HttpError: 400 to 599, not ${status}`);
    }
  }
}

export const isHttpError = brandClass(HttpError, "HttpError");
