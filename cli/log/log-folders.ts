// Finds the transaction logs of a root.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { SvcError } from "../../runtime/base/errors.js";
import { LOG_FOLDER, LOG_LOCAL_FOLDER } from "../../runtime/base/graph-names.js";
import { refuseIncompleteRestore } from "../../runtime/graph/manager/data-folder.js";
import { checkLog, type LogReport } from "../../runtime/interconnect/log/check-log.js";
import { realDisk } from "../../runtime/interconnect/log/disk.js";

export interface FoundLog {
  /** Path below the root. */
  readonly folder: string;
  readonly report: LogReport;
}

/**
 * Reads both logs of a root.
 * @throws SvcError SVC3050 if there is no log, SVC3421
 */
export function checkLogs(root: string): FoundLog[] {
  refuseIncompleteRestore(root);
  if (!existsSync(join(root, LOG_FOLDER))) {
    throw new SvcError("SVC3050", `no transaction log in ${root}`);
  }
  return [LOG_FOLDER, `${LOG_FOLDER}/${LOG_LOCAL_FOLDER}`]
    .filter((folder) => existsSync(join(root, folder)))
    .map((folder) => ({ folder, report: checkLog(realDisk, join(root, folder)) }));
}

/** Describes the log of a folder in one line, or two if it is corrupt. */
export function describeLog({ folder, report }: FoundLog): string {
  const { segments, transactions, last, tornBytes, damage } = report;
  const size = `${transactions} transactions in ${segments.length} segments`;
  const summary = `${folder}: ${size}, last: ${last}`;
  if (damage !== null) {
    return `${summary}\n  corrupt: ${damage.segment}, byte ${damage.offset}: ${damage.reason}`;
  }
  return tornBytes === 0 ? summary : `${summary}; a torn write of ${tornBytes} bytes at the end`;
}
