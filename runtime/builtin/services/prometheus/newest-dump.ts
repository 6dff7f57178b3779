// Age of the newest dump below a data folder.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DUMP_NAME, LOG_FOLDER } from "../../../base/graph-names.js";

/** Returns the time of the last change of the newest dump since 1970; null: there is none. */
export function newestDumpSeconds(root: string): number | null {
  const dumps = readNames(root).filter((name) => DUMP_NAME.test(name));
  const newestMs = Math.max(0, ...dumps.map((name) => changedAtMs(join(root, name, LOG_FOLDER))));
  return newestMs === 0 ? null : newestMs / 1000;
}

/** Returns no names for an unreadable folder, which is reported elsewhere. */
function readNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Returns the time of a dump; 0 if it is incomplete or being deleted, so that others count. */
function changedAtMs(folder: string): number {
  try {
    const times = readdirSync(folder).map((name) => statSync(join(folder, name)).mtimeMs);
    return Math.max(0, ...times);
  } catch {
    return 0;
  }
}
