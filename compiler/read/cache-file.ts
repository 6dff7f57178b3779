// Files of the caches below `node_modules`, which several builds may write at the same time.

import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Returns false if it cannot be written: packages may belong to another user and be read-only. */
export function replaceCacheFile(path: string, content: string | Buffer): boolean {
  const next = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(next, content);
    renameSync(next, path);
    return true;
  } catch {
    discard(next);
    return false;
  }
}

function discard(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Its folder is not accessible, or is a file.
  }
}
