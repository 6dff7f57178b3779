// Removes temporary files of killed builds. Their names contain the process id, which distinguishes
// them from builds in progress.

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { processExists } from "../runtime/base/process-exists.js";

/** @param pattern of their names; the first group is the process id */
export function removeStaleOutput(folder: string, pattern: RegExp): void {
  for (const name of readdirSync(folder)) {
    const pid = pattern.exec(name)?.[1];
    if (pid !== undefined && !processExists(Number(pid))) {
      rmSync(join(folder, name), { recursive: true, force: true });
    }
  }
}
