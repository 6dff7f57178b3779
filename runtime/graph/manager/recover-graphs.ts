// Tasks of the main thread: recovers graphs after a thread died, and waits for saves of a graph
// that is closed.

import { setTimeout as sleep } from "node:timers/promises";
import { Header } from "../memory/layout.js";
import { forgetThread } from "../memory/safepoint.js";
import { isJointFinal, recoverGraph, releaseStaleLocks } from "../operations/recover.js";
import type { GraphStore } from "../store/graph-store.js";
import { unpin } from "../texts/pins.js";
import { releaseSaveLock } from "./snapshot/save-graph.js";

const SLEEP_MS = 50;

/**
 * Recovers graphs after a thread has died. Releasing vertex locks may have to wait for another
 * thread that holds the mutex, which may be dead, too, and recovered next.
 */
export async function recoverGraphs(stores: readonly GraphStore[], thread: number): Promise<void> {
  for (const store of stores) {
    releaseSaveLock(store, thread);
    forgetThread(store.memory, thread);
    unpin(store.memory, thread);
  }
  const isFinal = isJointFinal(stores, thread);
  let unfinished = stores.filter((store) => !recoverGraph(store, thread, isFinal));
  for (const { memory } of stores) {
    memory.log?.clock.setPublishing(thread, false);
    memory.log?.clock.forgetAnnounced(thread);
  }
  while (unfinished.length > 0) {
    await sleep(SLEEP_MS, undefined, { ref: false });
    unfinished = unfinished.filter((store) => !releaseStaleLocks(store, thread));
  }
}

/** Waits for a running save of a closed graph, which aborts at its next step. */
export function waitForSave({ memory }: GraphStore, timeoutMs: number): void {
  const { ints } = memory.header;
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    const saving = Atomics.load(ints, Header.Saving);
    if (saving === 0 || performance.now() > giveUpAt) return;
    Atomics.wait(ints, Header.Saving, saving, SLEEP_MS);
  }
}
