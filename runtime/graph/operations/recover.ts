// What is to be done for a graph when one of its threads has died. It must be called by exactly one
// other thread, after the dead one has ended and before its number is given to a new one.

import { Header } from "../memory/layout.js";
import type { GraphStore } from "../store/graph-store.js";
import { nowSeconds } from "../time.js";
import { apply } from "./apply.js";
import { OperationCode } from "./operation.js";
import { Unfinished } from "./removals.js";

/**
 * Undoes what a dead thread was writing, finishes the removal that it had begun, and releases the
 * vertices that it held.
 * @returns true if there was anything to be done
 */
export function recoverGraph(store: GraphStore, deadThread: number): boolean {
  const { writer, locks } = store;
  const wasWriting = writer.takeOver(deadThread);
  if (!wasWriting && store.memory.header.words[Header.LocksHeld] === 0) return false;
  if (!wasWriting) writer.begin();
  let released = 0;
  try {
    if (wasWriting) finishRemoval(store);
    released = releaseLocks(store, deadThread);
    writer.commit();
  } catch (error) {
    writer.rollback();
    throw error;
  } finally {
    writer.end();
  }
  if (released > 0) locks.wakeWaiting();
  return wasWriting || released > 0;
}

/** Removals are done in steps, which may be begun again at any of them. */
function finishRemoval(store: GraphStore): void {
  const { words } = store.memory.header;
  const unfinished = words[Header.Unfinished]!;
  if (unfinished === Unfinished.Nothing) return;
  const subject = words[Header.UnfinishedSubject]!;
  const isVertex = unfinished === Unfinished.DeleteVertex;
  const { operation } = store;
  operation.code = isVertex ? OperationCode.DeleteVertex : OperationCode.Truncate;
  operation.vertex = isVertex ? subject : 0;
  operation.name = subject;
  operation.at = nowSeconds();
  apply(store, operation);
  store.writer.commit();
}

/** Vertices that were only kept because they were held go with their locks. */
function releaseLocks(store: GraphStore, thread: number): number {
  const { vertices, operation } = store;
  const released = store.locks.releaseThread(thread);
  for (const vertex of released) {
    if (!vertices.isVirtual(vertex) || vertices.inDegree(vertex) > 0) continue;
    operation.code = OperationCode.DeleteVertex;
    operation.vertex = vertex;
    operation.at = nowSeconds();
    apply(store, operation);
  }
  return released.length;
}
