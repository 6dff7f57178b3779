// The one error that a generated client throws, whatever went wrong. Part of the published
// declarations of every generated client.

/**
 * `parameter`: the server refused the parameters, or could not write the result. `plugin`: the
 * plugin threw. `system`: the server failed. `backend`: it happened below a dispatcher, and `cause`
 * says what. `http`: any other refusal, or an answer that is none. `network`: no whole answer came.
 * `timeout` and `aborted`: the call was ended from this side.
 */
export type ErrorKind =
  | "parameter"
  | "plugin"
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
  /** That of the partition's answer. */
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
 * A call that failed (http-interface, "Errors"). What a plugin means for its clients has a kind of
 * its own, where the plugin documents it: the name of the error.
 */
export class SvcError<
  K extends string = ErrorKind,
  S extends number | null = number | null,
  D = unknown,
> extends Error {
  declare readonly kind: K;
  /** Status of the HTTP answer, null when none came. */
  declare readonly status: S;
  /** What the plugin tells programs of it, null where it does not. */
  declare readonly details: D;
  /** Class of the exception, of a back-end error that of the innermost. */
  declare readonly exception: string | null;
  /** Where the plugin threw; of a back-end error that of the innermost. */
  declare readonly traceback: readonly string[] | null;
  /** Of a back-end error: the outermost level first. */
  declare readonly chain: readonly BackEndLevel[];
  /** The decoded answer, its text where that is no JSON, null when none came. */
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
