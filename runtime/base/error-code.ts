// One row of the table of error codes.

/** `title` names the problem in general, `fix` the remedy; messages add the details. */
export interface ErrorCode {
  readonly title: string;
  readonly fix: string;
}
