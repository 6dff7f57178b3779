// The last failed calls under `svc dev`, with their requests, for plugin authors. Disabled
// elsewhere: requests are private data of clients.

import { SharedRing } from "./shared-ring.js";

const ring = new SharedRing("svc.failed-calls", 20, 32 * 1024);

/** A position in the sources, with surrounding lines. */
export interface SourceFrame {
  /** As in stack frames: relative to the project. */
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
  /** The error, with stack frames in terms of the sources. */
  readonly text: string;
  /** Null if the source is unknown. */
  readonly frame: SourceFrame | null;
}

/** Enables the capture. Called by the main thread before it starts others. */
export function enableFailedCallCapture(): void {
  ring.open();
}

export function isFailedCallCaptureEnabled(): boolean {
  return ring.isOpen;
}

export function recordFailedCall(call: FailedCall): void {
  ring.keep(0, JSON.stringify(call));
}

/** Returns the calls, oldest first. Calls too long for an entry are omitted. */
export function failedCalls(): readonly (FailedCall & { readonly at: number })[] {
  return ring.after(0).entries.flatMap(({ at, text }) => {
    try {
      return [{ at, ...(JSON.parse(text) as FailedCall) }];
    } catch {
      return [];
    }
  });
}
