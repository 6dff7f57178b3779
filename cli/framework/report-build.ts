// Prints the result of a build: diagnostics with source lines, or as JSON for tools, then a
// summary.

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { BuildResult } from "../../compiler/build-result.js";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import { renderDiagnostics } from "../../compiler/diagnostics/render.js";

/**
 * Omits diagnostics of files that have changed since the build: their lines may have moved, and the
 * next build reports them again.
 * @param startedMs start of the build, as of `Date.now`
 */
export function currentDiagnostics(
  projectDir: string,
  diagnostics: readonly Diagnostic[],
  startedMs: number,
): readonly Diagnostic[] {
  const files = new Set(diagnostics.map(({ position }) => position.file));
  const now = Date.now();
  const changed = [...files].filter((file) => {
    const atMs = changedMs(join(projectDir, file));
    // The clock of a shared folder can run ahead: a time to come proves no change.
    return atMs > startedMs && Math.floor(atMs) <= now;
  });
  return diagnostics.filter(({ position }) => !changed.includes(position.file));
}

function changedMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Prints the diagnostics of a project on standard error. */
export function printDiagnostics(projectDir: string, diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.length === 0) return;
  const color = process.stderr.isTTY === true && process.env.NO_COLOR === undefined;
  process.stderr.write(renderDiagnostics(diagnostics, sourceReader(projectDir), { color }));
}

/** Returns the diagnostics without colors; empty if there are none. */
export function formatDiagnostics(projectDir: string, diagnostics: readonly Diagnostic[]): string {
  if (diagnostics.length === 0) return "";
  return renderDiagnostics(diagnostics, sourceReader(projectDir), { color: false });
}

/** Diagnostics may refer to generated or deleted files, which have no line to show. */
function sourceReader(projectDir: string): (file: string) => string | null {
  return (file) => {
    try {
      return readFileSync(join(projectDir, file), "utf8");
    } catch {
      return null;
    }
  };
}

/** Prints only diagnostics, as one JSON array on standard output. */
export function printJson(diagnostics: readonly Diagnostic[]): void {
  process.stdout.write(`${JSON.stringify(diagnostics)}\n`);
}

/** Returns text such as `3 plugins in 412 ms (load 180, read 120, emit 30)`. */
export function summary({ plugins, timings }: BuildResult): string {
  const { total = 0, ...phases } = timings;
  const parts = Object.entries(phases).map(([name, ms]) => `${name} ${Math.round(ms)}`);
  const count = plugins === 1 ? "1 plugin" : `${plugins} plugins`;
  return `${count} in ${Math.round(total)} ms (${parts.join(", ")})`;
}
