// Recovery of a graph after the death of a thread. Call from exactly one other thread, after the
// dead one has ended and before its number is reused.

import { Header, WAITERS } from "../memory/layout.js";
import type { GraphStore } from "../store/graph-store.js";
import { OperationCode } from "../store/operation.js";
import { perform } from "./apply.js";
import { PendingRemoval } from "./removals.js";
import { removeIfUnreferenced } from "./vertices.js";

/** A mutex holder that writes nothing for this long may be dead too and recovered first. */
const QUIET_MS = 100;

/** Returns whether a dead thread had a joint commit under way that is final for all its graphs. */
export function isJointFinal(stores: readonly GraphStore[], deadThread: number): boolean {
  return stores.some(({ memory }) => {
    const { words } = memory.header;
    const isHeld = (words[Header.Mutex]! & ~WAITERS) === deadThread;
    return isHeld && words[Header.IsJoint] === 1 && words[Header.CommittedCount]! > 0;
  });
}

/**
 * Rolls back the mutation of a dead thread, finishes its pending removal and releases its vertex
 * locks.
 * @param isFinal result of `isJointFinal` for all graphs
 * @returns false if another thread holds the mutex: call `releaseStaleLocks` later
 */
export function recoverGraph(store: GraphStore, deadThread: number, isFinal = false): boolean {
  if (!store.writer.takeOver(deadThread, isFinal)) return releaseStaleLocks(store, deadThread);
  recover(store, () => {
    finishRemoval(store);
    return releaseLocks(store, deadThread);
  });
  return true;
}

/** Releases the vertex locks of a dead thread; false if another thread holds the mutex. */
export function releaseStaleLocks(store: GraphStore, deadThread: number): boolean {
  if (store.memory.header.words[Header.LocksHeld] === 0) return true;
  if (!store.writer.tryBegin(QUIET_MS)) return false;
  recover(store, () => releaseLocks(store, deadThread));
  return true;
}

/**
 * Runs a recovery step under the mutex, which it releases.
 * @param run returns the number of locks released
 */
function recover({ writer, locks }: GraphStore, run: () => number): void {
  let released = 0;
  try {
    released = run();
    writer.commit();
  } catch (error) {
    writer.rollback();
    throw error;
  } finally {
    writer.end();
  }
  if (released > 0) locks.wakeWaiting();
}

/** Restarts the pending removal: removals run in committed steps and can be restarted at any. */
function finishRemoval(store: GraphStore): void {
  const { words } = store.memory.header;
  const unfinished = words[Header.Unfinished]!;
  if (unfinished === PendingRemoval.Nothing) return;
  const subject = words[Header.UnfinishedSubject]!;
  const isVertex = unfinished === PendingRemoval.DeleteVertex;
  const { operation } = store;
  operation.code = isVertex ? OperationCode.DeleteVertex : OperationCode.Truncate;
  operation.vertex = isVertex ? subject : 0;
  operation.name = subject;
  operation.at = words[Header.UnfinishedAt]!;
  // Record and operation count were committed with the first step.
  perform(store, operation);
  store.writer.commit();
}

/** Releases locks and removes vertices that existed only while locked. */
function releaseLocks(store: GraphStore, thread: number): number {
  const released = store.locks.releaseThread(thread);
  for (const vertex of released) removeIfUnreferenced(store, vertex);
  return released.length;
}
