// Where a thread runs algorithms over whole graphs: in the thread that the process has for them.

import type { StepOptions } from "../walk/steps.js";

/** An algorithm with its options, which cross threads. */
export interface BackgroundCall {
  readonly graph: string;
  readonly algorithm: "components" | "pageRank";
  readonly options: Readonly<Record<string, unknown>>;
}

/** Runs algorithms without blocking this thread. */
export interface BackgroundRunner {
  /** @throws what the algorithm throws, and the reason of the signal */
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
