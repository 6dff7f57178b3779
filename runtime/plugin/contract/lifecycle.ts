// Functions of a project that run when its executors start and stop, and their messages.

/** Argument of a start function. */
export interface StartContext {
  /** Number of the executor. */
  readonly executor: number;
  /** Aborts at the start timeout. */
  readonly signal: AbortSignal;
}

export type StartFunction = (start: StartContext) => unknown;
/** @param app the result of the start function; undefined for the instance's stop function */
export type StopFunction = (app?: unknown) => unknown;

/** The functions of a build, as `.svc/plugins.js` exports them. */
export interface Lifecycle {
  readonly onStart?: { readonly instance?: StartFunction; readonly executor?: StartFunction };
  readonly onStop?: { readonly instance?: StopFunction; readonly executor?: StopFunction };
}

/** Selects the stop function to run. */
export type StopScope = "executor" | "instance";

/** Outcome of a stop function; null: it completed. */
export interface StopReply {
  readonly failure: string | null;
}
