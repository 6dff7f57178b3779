// One finding of the compiler. Rules and readers create them, the renderer prints them, `--json`
// writes them as they are.

import type { SourcePosition } from "../record/source-position.js";

export interface Diagnostic {
  /** `SVC1xxx`, or `TSnnnn` for a finding of TypeScript's own. */
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly position: SourcePosition;
  /** Length of the underlined text on its line, at least 1. */
  readonly length: number;
  readonly message: string;
  /** What to write instead; empty when there is nothing to add. */
  readonly help: string;
}

/** Length of the word or string that begins at a 1-based column; 1 for anything else. */
export function underlineLength(line: string, column: number): number {
  return /^(?:[\w$]+|"[^"]*"|'[^']*')/.exec(line.slice(column - 1))?.[0].length ?? 1;
}
