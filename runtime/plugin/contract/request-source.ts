// One request as it reaches an executor: the received bytes, held as latin1 text (one character per
// byte), plus their origin. Converters and PluginRequest read from it lazily.

import type { RequestSignal } from "./request-signal.js";

/** `(width, height, depth, partition, replica, channel, primary)` sent by a dispatcher. */
export type Ident = readonly [number, number, number, number, number, number, number];

export interface RequestSource {
  readonly method: "GET" | "POST";
  /** Request target, path and query, latin1. */
  readonly target: string;
  /** The part of `target` after the first `?`; empty if there is none. */
  readonly query: string;
  /** Header lines as received, each with its CR LF, latin1, without the empty line. */
  readonly headerBlock: string;
  /** Body: latin1 text when small, shared bytes when large, null if there is none. */
  readonly body: string | Uint8Array | null;
  /** A body with files that is too large for memory; `body` is null then. */
  readonly upload?: Upload | null;
  /** `http://<ip>:<port>/` of the calling client. */
  readonly client: string;
  /** Slot of the request: 0-31 on the main port, 0-7 on the admin port. */
  readonly executor: number;
  readonly serial: number;
  /** First byte handled by the server loop: milliseconds since 1970, with fractions. */
  readonly t0Ms: number;
  readonly basePort: number;
  /** 0 main port, 1 admin port. */
  readonly portOffset: 0 | 1;
  readonly accept: Accept;
  readonly ident: Ident | null;
  /** JSON text of the authenticated principal, null for none. */
  readonly principal?: string | null;
  readonly hasMatrix: boolean;
  /** A warm-up call of an example by the server itself. */
  readonly isWarmUp?: boolean;
  /** Notifies the plugin that its response is no longer needed. */
  readonly signal?: RequestSignal;
  /** Starts a streamed response; null or undefined if streaming is impossible. */
  readonly streams?: StreamOpener | null;
}

/** A request body in a file, which exists as long as the request. */
export interface Upload {
  readonly path: string;
  readonly size: number;
}

export type StreamFormat = "ndjson" | "sse";

export interface StreamOpener {
  /**
   * @param port carries the content; a MessagePort, typed as unknown because public declarations do
   *   not depend on the types of Node
   */
  open(source: RequestSource, port: unknown, format: StreamFormat): void;
}

/**
 * Format of the response that the client accepts (http-interface, "Request headers acted upon").
 */
export type Accept = "json" | "text" | "partial";
