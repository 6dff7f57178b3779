// What can be wrong with the log.

import { SvcError } from "../../base/errors.js";

/** It is damaged where an interrupted write cannot be the reason. */
export class LogDamaged extends SvcError {
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
