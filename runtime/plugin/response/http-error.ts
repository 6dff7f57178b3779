// An error that a plugin means for its client: it chooses the status, and shows nothing of its
// code.

import { brandClass } from "../../base/brand.js";
import { ArgumentError } from "../../base/errors.js";
import { headerLines } from "./header-lines.js";

/**
 * Thrown by a plugin to answer with a status of its own (http-interface, "Error body", kind
 * `plugin`). 429 and 503 tell callers that nothing was executed: dispatchers and clients send such
 * a request again.
 *
 * @example throw new HttpError(404, "no such product", { id });
 */
export class HttpError extends Error {
  /**
   * @param status 400 to 599
   * @param message what the client is told
   * @param details anything that JSON can carry, for programs
   * @param headers further header fields of the response, such as `Retry-After`
   * @throws ArgumentError for another status, or a header field that cannot be sent
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
