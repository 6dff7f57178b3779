// Age of the newest dump below a data folder.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DUMP_NAME, LOG_FOLDER } from "../../../base/graph-names.js";

/** Returns the time of the last change of the newest dump since 1970; null: there is none. */
export function newestDumpSeconds(root: string): number | null {
  let newestMs = 0;
  try {
    for (const name of readdirSync(root)) {
      if (!DUMP_NAME.test(name)) continue;
      const folder = join(root, name, LOG_FOLDER);
      for (const file of readdirSync(folder)) {
        newestMs = Math.max(newestMs, statSync(join(folder, file)).mtimeMs);
      }
    }
  } catch {
    // A data folder that cannot be read has metrics and messages of its own.
  }
  return newestMs === 0 ? null : newestMs / 1000;
}
