// Verifies a backup in another process, because a restore takes memory and time, and this thread
// must keep flushing the transaction log.

import { execFile } from "node:child_process";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../../base/package-info.js";

/** Rejects with the reason if the backup cannot be restored. */
export function verifyInProcess(location: string, signal: AbortSignal): Promise<void> {
  const program = join(packageRoot(), "bin/svc.cjs");
  return new Promise((resolve, reject) => {
    const args = [program, "backup", "verify", location];
    const child = execFile(process.execPath, args, { signal }, (error, _out, text) => {
      if (error === null) resolve();
      else reject(new Error(text.trim() || error.message, { cause: error }));
    });
    // Requests have precedence. This fails if the process has already exited.
    try {
      setPriority(child.pid!, constants.priority.PRIORITY_LOW);
    } catch {}
  });
}
