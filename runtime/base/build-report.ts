// The result of the last build of `svc dev`, for the pages of its server: one text that the main
// thread writes and the IO thread reads, in shared memory. A seqlock validates reads: the sequence
// is odd while the text is being written, and changes with each write.
//
//   sequence u32 │ length u32 │ JSON

import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";

const KEY = "svc.build-report";
const HEAD_BYTES = 8;
const MAX_BYTES = 256 * 1024;
/** Limit of the diagnostics: in JSON a character takes at most six bytes. */
const MAX_TEXT = 40_000;

export interface BuildReport {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The step that failed for the newest sources; null: they are served. */
  readonly broken: "build" | "load" | null;
  /** Diagnostics with their source lines; empty for none. */
  readonly findings: string;
}

/** Enables build reports. Called by the main thread before it starts others. */
export function enableBuildReports(): void {
  if (shared() !== null) return;
  setEnvironmentData(KEY, new SharedArrayBuffer(HEAD_BYTES + MAX_BYTES));
}

function shared(): SharedArrayBuffer | null {
  return (getEnvironmentData(KEY) as SharedArrayBuffer | undefined) ?? null;
}

/** Does nothing if reports are not enabled. */
export function reportBuild(report: BuildReport): void {
  const memory = shared();
  if (memory === null) return;
  const { findings } = report;
  const cut = findings.length > MAX_TEXT ? `${findings.slice(0, MAX_TEXT)}\n...` : findings;
  const text = JSON.stringify({ ...report, findings: cut });
  const words = new Int32Array(memory, 0, 2);
  Atomics.add(words, 0, 1);
  const length = Buffer.from(memory, HEAD_BYTES).write(text, "utf8");
  Atomics.store(words, 1, length);
  Atomics.add(words, 0, 1);
}

/** Returns null without a report, or while it is being written. */
export function lastBuild(): BuildReport | null {
  const memory = shared();
  if (memory === null) return null;
  const words = new Int32Array(memory, 0, 2);
  const number = Atomics.load(words, 0);
  if (number === 0 || number % 2 !== 0) return null;
  const length = Math.min(Atomics.load(words, 1), MAX_BYTES);
  const text = Buffer.from(memory, HEAD_BYTES).toString("utf8", 0, length);
  return Atomics.load(words, 0) === number ? (JSON.parse(text) as BuildReport) : null;
}
