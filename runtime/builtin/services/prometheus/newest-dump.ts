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

/** A data folder that cannot be read has metrics and messages of its own. */
function readNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Returns 0 for a dump that is incomplete or being deleted: it must not hide the others. */
function changedAtMs(folder: string): number {
  try {
    const times = readdirSync(folder).map((name) => statSync(join(folder, name)).mtimeMs);
    return Math.max(0, ...times);
  } catch {
    return 0;
  }
}
