// What can be wrong with the log.

import { SvcError } from "../../base/errors.js";

/** It is damaged where an interrupted write cannot be the reason. */
export class LogCorruptionError extends SvcError {
  /**
   * @param segment name of the file
   * @param offset first byte that cannot be used
   */
  constructor(
    readonly segment: string,
    readonly offset: number,
    readonly reason: string,
  ) {
    super("SVC2500", `log is damaged: ${segment}, byte ${offset}: ${reason}`);
  }
}

/** The file is there, but not for this user, or its path leads through what is no folder. */
const NOT_GIVEN = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR"]);
const OUT_OF_FILES = new Set(["EMFILE", "ENFILE"]);

/**
 * What a file or folder of the log that cannot be opened means to an operator: nothing of it is
 * damaged. Any other error is returned as it is.
 */
export function openingError(error: unknown): unknown {
  const { code = "", message } = error as NodeJS.ErrnoException;
  const text = `log cannot be opened: ${message}`;
  if (NOT_GIVEN.has(code)) return new SvcError("SVC2504", text, { cause: error });
  return OUT_OF_FILES.has(code) ? new SvcError("SVC3093", text, { cause: error }) : error;
}
