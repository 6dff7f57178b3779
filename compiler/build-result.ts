// The result of a build. Nothing here prints: the command line renders it.

import { performance } from "node:perf_hooks";
import type { Diagnostic } from "./diagnostics/diagnostic.js";

export interface BuildResult {
  /** False if there are errors or, with `check`, differences on disk. */
  readonly ok: boolean;
  /** True if the build on disk was already current. */
  readonly unchanged: boolean;
  readonly plugins: number;
  /** Errors and warnings, sorted by position. */
  readonly diagnostics: readonly Diagnostic[];
  /** With `check`: files of `.svc/` that differ from what a build would write. */
  readonly differing: readonly string[];
  readonly timings: BuildTimings;
}

/** Milliseconds by phase, in the order in which the phases ended; `total` is last. */
export type BuildTimings = Readonly<Record<string, number>>;

/** Measures the phases of a build. */
export class PhaseTimer {
  readonly #started = performance.now();
  readonly #phases: Record<string, number> = {};
  #last = this.#started;

  /** Ends a phase. */
  mark(phase: string): void {
    const now = performance.now();
    this.#phases[phase] = round(now - this.#last);
    this.#last = now;
  }

  timings(): BuildTimings {
    return { ...this.#phases, total: round(performance.now() - this.#started) };
  }
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === "error");
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
