// Operation count up to which snapshots contain a graph.

import { SnapshotFiles } from "./snapshot-files.js";
import { readSnapshotHeader } from "./snapshot-reader.js";

/**
 * Returns the operation count that both snapshots contain: if the current one is corrupt, the
 * previous one is loaded. 0 if there are fewer than two.
 */
export function snapshotCounts(folder: string, name: string): number {
  const { current, previous } = new SnapshotFiles(folder);
  return Math.min(countInFile(current, name), countInFile(previous, name));
}

function countInFile(file: string, name: string): number {
  try {
    const header = readSnapshotHeader(file);
    return header.name === name ? header.operationCount : 0;
  } catch {
    // An unreadable file contains nothing.
    return 0;
  }
}
