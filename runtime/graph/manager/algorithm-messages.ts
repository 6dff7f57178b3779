// Messages about algorithms over whole graphs: from the thread that calls one to the main thread,
// and from there to the thread that runs it. The result is the reply to `run`.

import type { BackgroundCall } from "../query/calls/background-runner.js";

export type AlgorithmCommand =
  | { readonly op: "run"; readonly id: number; readonly call: BackgroundCall }
  /** Makes `run` fail with an error with the message `reason`. */
  | { readonly op: "cancel"; readonly id: number; readonly reason: string };

/** Sent back while an algorithm runs. */
export interface AlgorithmProgress {
  readonly notice: "progress";
  readonly id: number;
  /** Finished share of the work, 0 to 1. */
  readonly share: number;
}
