// Errors of the transaction log.

import { SvcError } from "../../base/errors.js";

/** Corruption that a torn write cannot explain. */
export class LogCorruptionError extends SvcError {
  /**
   * @param segment file name
   * @param offset first unusable byte
   */
  constructor(
    readonly segment: string,
    readonly offset: number,
    readonly reason: string,
  ) {
    super("SVC2500", `log is damaged: ${segment}, byte ${offset}: ${reason}`);
  }
}

/** The file exists but is not accessible to this user, or its path is no folder. */
const INACCESSIBLE = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR"]);
const OUT_OF_FILES = new Set(["EMFILE", "ENFILE"]);

/**
 * Returns what an open error means to an operator: nothing is corrupt. Other errors pass unchanged.
 */
export function openingError(error: unknown): unknown {
  const { code = "", message } = error as NodeJS.ErrnoException;
  const text = `log cannot be opened: ${message}`;
  if (INACCESSIBLE.has(code)) return new SvcError("SVC2504", text, { cause: error });
  return OUT_OF_FILES.has(code) ? new SvcError("SVC3093", text, { cause: error }) : error;
}
