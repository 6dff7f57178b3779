// How far a graph is safe in its snapshots.

import { SnapshotFiles } from "./snapshot-files.js";
import { readSnapshotHeader } from "./snapshot-reader.js";

/**
 * Operation count of a graph that every snapshot of it holds: should the current one be damaged,
 * the previous one takes its place. 0 where there are not yet two.
 */
export function snapshotCounts(folder: string, name: string): number {
  const { current, previous } = new SnapshotFiles(folder);
  return Math.min(countOf(current, name), countOf(previous, name));
}

function countOf(file: string, name: string): number {
  try {
    const header = readSnapshotHeader(file);
    return header.name === name ? header.operationCount : 0;
  } catch {
    // What cannot be read holds nothing.
    return 0;
  }
}
