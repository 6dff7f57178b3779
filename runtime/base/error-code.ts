// One row of the table of error codes.

/** `title` says what happened in general, `fix` what to do; occurrences carry the particulars. */
export interface ErrorCode {
  readonly title: string;
  readonly fix: string;
}
