// Records of import files, and positions to resume at.

/** A vertex or an arc. */
export interface FileRecord {
  /**
   * Returns its members, not yet validated.
   * @throws SvcError SVC3060 if the record is not of this format
   */
  readonly value: () => { readonly [key: string]: unknown };
  /** The unchanged text of the record, and of the header that it needs. */
  readonly text: string;
  readonly header?: string;
  /** Line or row number from 1. */
  readonly line: number;
  /** Position of the next record. */
  readonly end: number;
}

/** Start position: the beginning, or where an earlier import ended. */
export interface Position {
  readonly end: number;
  readonly line: number;
}
