// Runs algorithms over whole graphs in the algorithm thread of the process.

import type { StepOptions } from "../walk/steps.js";

/** An algorithm with its options, as passed to the algorithm thread. */
export interface BackgroundCall {
  readonly graph: string;
  readonly algorithm: "components" | "pageRank";
  readonly options: Readonly<Record<string, unknown>>;
}

/** Runs algorithms without blocking this thread. */
export interface BackgroundRunner {
  /** @throws errors of the algorithm, and the reason of the signal */
  run(call: BackgroundCall, steps: StepOptions): Promise<unknown>;
}

/** Null in tools and in processes without graph threads. */
let installed: BackgroundRunner | null = null;

export function installBackgroundRunner(runner: BackgroundRunner | null): void {
  installed = runner;
}

export function findBackgroundRunner(): BackgroundRunner | null {
  return installed;
}
