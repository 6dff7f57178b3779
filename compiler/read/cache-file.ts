// Cache files below `node_modules`, which several builds may write at the same time.

import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Returns false if the file cannot be written: `node_modules` may belong to another user. */
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
