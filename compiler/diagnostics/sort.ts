// Orders diagnostics by file, line and column, and removes duplicates of several finders.

import { compareText } from "../compare-text.js";
import type { Diagnostic } from "./diagnostic.js";

/** Sorts diagnostics by position, then code, without duplicates. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const distinct = new Map<string, Diagnostic>();
  for (const diagnostic of diagnostics) {
    const { code, position, message } = diagnostic;
    const key = JSON.stringify([code, position.file, position.line, position.column, message]);
    if (!distinct.has(key)) distinct.set(key, diagnostic);
  }
  return [...distinct.values()].sort(comparePositions);
}

function comparePositions(a: Diagnostic, b: Diagnostic): number {
  return (
    compareText(a.position.file, b.position.file) ||
    a.position.line - b.position.line ||
    a.position.column - b.position.column ||
    compareText(a.code, b.code)
  );
}
