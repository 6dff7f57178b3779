// Positions in sources, for diagnostics.

/** 1-based place in a source file; `file` is relative to the project folder, with `/`. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A stretch of one line; its length is at least 1. */
export interface SourceRange {
  readonly position: SourcePosition;
  readonly length: number;
}
