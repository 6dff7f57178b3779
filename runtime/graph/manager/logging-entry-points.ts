// Entry points of the graph engine for the transaction log.

import { CommitClock, type GroupRole } from "../memory/commit-clock.js";
import {
  type CommitRing,
  countPublished,
  createRingMemory,
  flushSince,
} from "../memory/commit-ring.js";
import { readIdentity } from "../memory/graph-identity.js";
import type { SharedLogMemory } from "../memory/graph-memory.js";
import { installValues, listValues } from "../store/external-values.js";
import { GraphStore } from "../store/graph-store.js";
import { digestCheckpoint, verifyDigest } from "../store/verify-digest.js";
import { loadGraph } from "./snapshot/load-graph.js";
import { isRootLocked, lockRoot } from "./snapshot/root-lock.js";
import { readSnapshotCheckpoint } from "./snapshot/snapshot-checkpoint.js";
import { SnapshotFiles } from "./snapshot/snapshot-files.js";
import { readSnapshotHeader, snapshotCounts } from "./snapshot/snapshot-reader.js";
import { graphFolder, listStoredGraphs } from "./snapshot/stored-graphs.js";

export { withJointTicket } from "../memory/commit-ring.js";
export type { GroupRole, SharedLogMemory };
export {
  CommitClock,
  countPublished,
  digestCheckpoint,
  flushSince,
  GraphStore,
  installValues,
  isRootLocked,
  listStoredGraphs,
  listValues,
  loadGraph,
  lockRoot,
  readSnapshotCheckpoint,
  readSnapshotHeader,
  SnapshotFiles,
  verifyDigest,
};

/** 2 MiB: twice the largest change of the system graph. */
const SMALL_RING_WORDS = 2 ** 19;

/** Allocates the log memory of a new graph. */
export function allocateLogMemory(clock: CommitClock, isSmall: boolean): SharedLogMemory {
  return { ring: createRingMemory(isSmall ? SMALL_RING_WORDS : undefined), clock: clock.buffer };
}

/** Returns the identity of a graph as 32 hexadecimal digits. */
export function requireIdentity({ memory }: GraphStore): string {
  return readIdentity(memory)!;
}

/** Starts logging the changes of a graph. */
export function startLogging({ memory }: GraphStore): CommitRing {
  const ring = memory.log!;
  ring.isOn = true;
  return ring;
}

/**
 * Returns the absolute folder of a graph and the operation count contained in all its snapshots.
 * @param isLow true if only the current snapshot counts, because the disk is almost full
 */
export function openForLogging(
  root: string,
  path: string,
  name: string,
  isLow = false,
): { folder: string; count: number } {
  const folder = graphFolder(root, path);
  return { folder, count: snapshotCounts(folder, name, isLow) };
}
