// Positions in sources, for diagnostics.

/** 1-based position in a source file; `file` is relative to the project folder, with `/`. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A range within one line, at least one character long. */
export interface SourceRange {
  readonly position: SourcePosition;
  readonly length: number;
}
