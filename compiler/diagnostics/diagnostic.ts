// A diagnostic of the compiler. Rules and readers create it, the renderer prints it, and `--json`
// writes it unchanged.

import type { SourcePosition } from "../record/source-position.js";

export interface Diagnostic {
  /** `SVC1xxx`, or `TSnnnn` for a diagnostic of TypeScript. */
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly position: SourcePosition;
  /** Length of the underlined text on its line, at least 1. */
  readonly length: number;
  readonly message: string;
  /** Suggested correction; empty if there is none. */
  readonly help: string;
}

/** Length of the word or string that starts at a 1-based column; otherwise 1. */
export function underlineLength(line: string, column: number): number {
  return /^(?:[\w$]+|"[^"]*"|'[^']*')/.exec(line.slice(column - 1))?.[0].length ?? 1;
}
