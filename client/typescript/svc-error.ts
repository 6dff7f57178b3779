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

/** A dispatcher that the error has passed through. */
export interface BackEndLevel {
  /** The partition that failed, of `width`. */
  partition: number;
  width: number;
  /** HTTP status of the partition's response. */
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
 * A failed call (http-interface, "Errors"). Errors that a plugin documents have their own kind: the
 * name of the error.
 */
export class SvcError<
  K extends string = ErrorKind,
  S extends number | null = number | null,
  D = unknown,
> extends Error {
  declare readonly kind: K;
  /** HTTP status; null if there was no response. */
  declare readonly status: S;
  /** Details that the plugin attached; null if there are none. */
  declare readonly details: D;
  /** Exception class; for a back-end error, that of the innermost level. */
  declare readonly exception: string | null;
  /** Where the plugin threw; for a back-end error, at the innermost level. */
  declare readonly traceback: readonly string[] | null;
  /** Levels of a back-end error, outermost first. */
  declare readonly chain: readonly BackEndLevel[];
  /** The decoded response, its text if it is not JSON, or null if there was none. */
  declare readonly envelope: unknown;
  declare readonly cause: unknown;

  /**
   * The package can be loaded twice, as ES module and as CommonJS, and then has two such classes.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && BRAND in value;
  }

  constructor(kind: K, message: string, details: SvcErrorDetails = {}) {
    super(message);
    Object.assign(this, NO_DETAILS, { chain: [], ...details, kind, name: "SvcError" });
    Object.defineProperty(this, BRAND, {});
  }
}
