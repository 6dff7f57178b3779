// Records of import files, and positions to resume at.

/** A vertex or an arc. */
export interface FileRecord {
  /**
   * Returns its members, not yet validated.
   * @throws SvcError SVC3060 a record that is not of the format
   */
  readonly value: () => { readonly [key: string]: unknown };
  /** The record as it was, and the header that it needs. */
  readonly text: string;
  readonly header?: string;
  /** Line or row, from 1 on. */
  readonly line: number;
  /** Where the next one begins. */
  readonly end: number;
}

/** Where to begin: at the start, or behind what was read before. */
export interface Position {
  readonly end: number;
  readonly line: number;
}
