// The last calls of `svc dev` that have failed, with what was asked: for who writes the plugin, on
// his own machine. Elsewhere nothing is kept: requests are nobody's but their clients'.

import { SharedRing } from "./shared-ring.js";

const ring = new SharedRing("svc.failed-calls", 20, 32 * 1024);

/** A place in the sources, with some of its lines. */
export interface SourceFrame {
  /** As in tracebacks: relative to the project. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Number of the first line. */
  readonly first: number;
  readonly lines: readonly string[];
}

export interface FailedCall {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** The beginning of the body; empty for none. */
  readonly body: string;
  /** What was thrown, and the traceback in terms of the sources. */
  readonly text: string;
  /** Null where no source is known. */
  readonly frame: SourceFrame | null;
}

/** For the main thread, before it starts others: from now on calls are kept. */
export function enableFailedCallCapture(): void {
  ring.open();
}

export function isFailedCallCaptureEnabled(): boolean {
  return ring.isOpen;
}

export function recordFailedCall(call: FailedCall): void {
  ring.keep(0, JSON.stringify(call));
}

/** The oldest first. One that was too long for its place is left out. */
export function failedCalls(): readonly (FailedCall & { readonly at: number })[] {
  return ring.after(0).entries.flatMap(({ at, text }) => {
    try {
      return [{ at, ...(JSON.parse(text) as FailedCall) }];
    } catch {
      return [];
    }
  });
}
