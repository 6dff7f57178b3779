// The door to graphs for those who keep their log.

import { setReadonlyBy } from "../changes/graph.js";
import { CommitClock } from "../memory/commit-clock.js";
import {
  type CommitRing,
  countPublished,
  createRingMemory,
  flushSince,
} from "../memory/commit-ring.js";
import { readIdentity } from "../memory/graph-identity.js";
import type { SharedLogMemory } from "../memory/graph-memory.js";
import { ReadonlyBy } from "../memory/layout.js";
import { snapshotCounts } from "../snapshot/snapshot-counts.js";
import { SnapshotFiles } from "../snapshot/snapshot-files.js";
import { readSnapshotHeader } from "../snapshot/snapshot-reader.js";
import { graphFolder } from "../snapshot/stored-graphs.js";
import { installValues, listValues } from "../store/external-values.js";
import type { GraphStore } from "../store/graph-store.js";
import { digestCheckpoint, verifyDigest } from "../store/verify-digest.js";

export {
  CommitClock,
  countPublished,
  digestCheckpoint,
  flushSince,
  installValues,
  listValues,
  readSnapshotHeader,
  SnapshotFiles,
  verifyDigest,
};

/** 2 MiB: twice what the largest change of the system's own graph can be. */
const SMALL_RING_WORDS = 2 ** 19;

/** Where changes of a new graph are to go. */
export function allocateLogMemory(clock: CommitClock, isSmall: boolean): SharedLogMemory {
  return { ring: createRingMemory(isSmall ? SMALL_RING_WORDS : undefined), clock: clock.buffer };
}

/** What tells a graph from another one of its name, in 32 hexadecimal digits. */
export function identityOfStore({ memory }: GraphStore): string {
  return readIdentity(memory)!;
}

/** From now on changes of a graph that has one go to its ring. */
export function startLogging({ memory }: GraphStore): CommitRing {
  const ring = memory.log!;
  ring.isOn = true;
  return ring;
}

/** Nothing takes changes any more: all of these graphs become readonly. */
export function stopLogging(stores: readonly GraphStore[]): void {
  // First of all: who waits for room has the mutex.
  for (const { memory } of stores) memory.log!.isOn = false;
  for (const store of stores) setReadonlyBy(store, ReadonlyBy.Log, true);
}

/** Absolute folder of a graph below a root; operation count that all its snapshots hold. */
export function openForLogging(
  root: string,
  path: string,
  name: string,
): { folder: string; count: number } {
  const folder = graphFolder(root, path);
  return { folder, count: snapshotCounts(folder, name) };
}
