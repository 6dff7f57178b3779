// A built-in service under `/svc/<name>`: unlike a plugin, it has no typed parameters, runs in the
// IO thread and has access to the exchange.

import type { Exchange } from "../http/transport.js";
import type { EXPOSITION_TYPE } from "../metrics/exposition.js";
import type { ServerView } from "./server-view.js";

export interface ServiceRequest {
  readonly exchange: Exchange;
  /** Text after the first `?` of the target, latin1 as received; empty if there is none. */
  readonly query: string;
  /** 0 main port, 1 admin port. */
  readonly portOffset: 0 | 1;
  /** A loopback client, or one of `http.trustedNetworks`. */
  readonly isTrusted: boolean;
}

export interface Service {
  readonly mediaType: "application/json" | "text/plain" | typeof EXPOSITION_TYPE;
  /** The service exists only on the admin port; on the main port, its path is that of a file. */
  readonly isAdminOnly?: true;
  /** False for services that monitors call so often that they would distort the metrics. */
  readonly countsInMetrics: boolean;
  /** Returns additional header lines. */
  fields?(view: ServerView): string;
  /**
   * Answers at once, in chunks for large responses, or later with the response of another instance.
   * @returns JSON text of the envelope's `response`, or the whole text for text/plain
   * @throws ParameterError for an invalid query; answered with 400
   * @throws ForbiddenError for an unauthorized client; answered with 403
   * @throws SvcError asynchronously, if another instance does not respond; answered with 503
   */
  handle(view: ServerView, request: ServiceRequest): string | Iterable<string> | Promise<string>;
}

/** The client is not authorized. */
export class ForbiddenError extends Error {}

/** A service that answers with JSON. */
export function jsonService(
  payload: (view: ServerView, request: ServiceRequest) => unknown,
): Service {
  return {
    mediaType: "application/json",
    countsInMetrics: true,
    handle: (view, request) => JSON.stringify(payload(view, request)),
  };
}

/** A service that answers with plain text. */
export function textService(text: () => string, countsInMetrics = true): Service {
  return { mediaType: "text/plain", countsInMetrics, handle: text };
}
