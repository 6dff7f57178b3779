// The only error that a generated client throws. Part of the published declarations of every
// generated client.

/**
 * `parameter`: the server rejected the parameters. `plugin`: the plugin threw. `result`: the plugin
 * returned an invalid result. `system`: the server failed. `backend`: the error occurred below a
 * dispatcher; see `cause`. `http`: another error status, or an invalid response. `network`: no
 * complete response. `timeout` and `aborted`: the client ended the call.
 */
export type ErrorKind =
  | "parameter"
  | "plugin"
  | "result"
  | "system"
  | "backend"
  | "http"
  | "network"
  | "timeout"
  | "aborted";

/** A dispatcher that the error has passed. */
export interface BackEndLevel {
  /** The partition that failed, of `width`. */
  partition: number;
  width: number;
  /** Status of the partition's response. */
  status: number;
}

export interface SvcErrorDetails {
  status?: number | null;
  details?: unknown;
  exception?: string | null;
  traceback?: readonly string[] | null;
  chain?: readonly BackEndLevel[];
  envelope?: unknown;
  cause?: unknown;
}

const NO_DETAILS = {
  status: null,
  details: null,
  exception: null,
  traceback: null,
  envelope: null,
};

const BRAND = Symbol.for("svc-server.SvcError");

/**
 * A failed call (http-interface, "Errors"). Errors that a plugin documents have a kind of their
 * own: the name of the error.
 */
export class SvcError<
  K extends string = ErrorKind,
  S extends number | null = number | null,
  D = unknown,
> extends Error {
  declare readonly kind: K;
  /** HTTP status; null without a response. */
  declare readonly status: S;
  /** Details that the plugin attached; null without any. */
  declare readonly details: D;
  /** Class of the exception, of a back-end error that of the innermost. */
  declare readonly exception: string | null;
  /** Where the plugin threw; of a back-end error that of the innermost. */
  declare readonly traceback: readonly string[] | null;
  /** Of a back-end error: the outermost level first. */
  declare readonly chain: readonly BackEndLevel[];
  /** The decoded response, its text if it is not JSON, null without a response. */
  declare readonly envelope: unknown;
  declare readonly cause: unknown;

  /** One package may be loaded twice, as ESM and as CommonJS, and has two such classes then. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && BRAND in value;
  }

  constructor(kind: K, message: string, details: SvcErrorDetails = {}) {
    super(message);
    Object.assign(this, NO_DETAILS, { chain: [], ...details, kind, name: "SvcError" });
    Object.defineProperty(this, BRAND, {});
  }
}
