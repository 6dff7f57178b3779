// Temporary files of builds that were killed. Their names carry the id of their process, so that a
// later build can tell them from those of builds that run at the same time.

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** @param pattern of their names; the first group is the process id */
export function removeStaleOutput(folder: string, pattern: RegExp): void {
  for (const name of readdirSync(folder)) {
    const pid = pattern.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) {
      rmSync(join(folder, name), { recursive: true, force: true });
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
