// What is to be done for a graph when one of its threads has died. It must be called by exactly one
// other thread, after the dead one has ended and before its number is given to a new one.

import { Header } from "../memory/layout.js";
import type { GraphStore } from "../store/graph-store.js";
import { OperationCode } from "../store/operation.js";
import { perform } from "./apply.js";
import { PendingRemoval } from "./removals.js";
import { removeIfUnreferenced } from "./vertices.js";

/** Whoever has the mutex and writes nothing for so long may be dead too, and recovered first. */
const QUIET_MS = 100;

/**
 * Undoes what a dead thread was writing, finishes the removal that it had begun, and releases the
 * vertices that it held.
 * @returns false if `releaseStaleLocks` has to be called later: another thread has the mutex
 */
export function recoverGraph(store: GraphStore, deadThread: number): boolean {
  if (!store.writer.takeOver(deadThread)) return releaseStaleLocks(store, deadThread);
  recover(store, () => {
    finishRemoval(store);
    return releaseLocks(store, deadThread);
  });
  return true;
}

/** Releases the vertices that a dead thread held; false if another thread keeps the mutex. */
export function releaseStaleLocks(store: GraphStore, deadThread: number): boolean {
  if (store.memory.header.words[Header.LocksHeld] === 0) return true;
  if (!store.writer.tryBegin(QUIET_MS)) return false;
  recover(store, () => releaseLocks(store, deadThread));
  return true;
}

/** Runs what says how many locks it has released, with the mutex, which it gives back. */
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

/** Removals are done in steps, which may be begun again at any of them. */
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
  // The first step has committed record and count.
  perform(store, operation);
  store.writer.commit();
}

/** Vertices that were only kept because they were held go with their locks. */
function releaseLocks(store: GraphStore, thread: number): number {
  const released = store.locks.releaseThread(thread);
  for (const vertex of released) removeIfUnreferenced(store, vertex);
  return released.length;
}
