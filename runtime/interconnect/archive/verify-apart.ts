// Verifies a backup in a process of its own: restoring takes memory and time that this thread has
// not, because it flushes the transaction log.

import { execFile } from "node:child_process";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../../base/package-info.js";

/** @throws Error with the reason for which the backup cannot be restored */
export function verifyApart(place: string, signal: AbortSignal): Promise<void> {
  const program = join(packageRoot(), "bin/svc.cjs");
  return new Promise((resolve, reject) => {
    const words = [program, "backup", "verify", place];
    const child = execFile(process.execPath, words, { signal }, (error, _out, text) => {
      if (error === null) resolve();
      else reject(new Error(text.trim() || error.message, { cause: error }));
    });
    // Requests come first. A process that has ended already has no priority.
    try {
      setPriority(child.pid!, constants.priority.PRIORITY_LOW);
    } catch {}
  });
}
