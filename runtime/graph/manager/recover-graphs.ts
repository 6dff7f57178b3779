// Duties of the main thread when other threads end: recovery of graphs after a death, and waiting
// for saves of a graph that is closed.

import { setTimeout as sleep } from "node:timers/promises";
import { Header } from "../memory/layout.js";
import { forgetThread } from "../memory/safepoint.js";
import { isJointFinal, recoverGraph, releaseStaleLocks } from "../operations/recover.js";
import type { GraphStore } from "../store/graph-store.js";
import { unpin } from "../texts/pins.js";
import { releaseSaveLock } from "./snapshot/save-graph.js";

const SLEEP_MS = 50;

/**
 * Recovers graphs after a thread has died. Immediate, except for vertex locks while another thread
 * holds the mutex, which may be dead too and about to be recovered.
 */
export async function recoverGraphs(stores: readonly GraphStore[], thread: number): Promise<void> {
  for (const store of stores) {
    releaseSaveLock(store, thread);
    forgetThread(store.memory, thread);
    unpin(store.memory, thread);
  }
  const isFinal = isJointFinal(stores, thread);
  let left = stores.filter((store) => !recoverGraph(store, thread, isFinal));
  for (const { memory } of stores) {
    memory.log?.clock.setPublishing(thread, false);
    memory.log?.clock.forgetAnnounced(thread);
  }
  while (left.length > 0) {
    await sleep(SLEEP_MS, undefined, { ref: false });
    left = left.filter((store) => !releaseStaleLocks(store, thread));
  }
}

/** Waits for a running save of a closed graph, which gives up at its next step. */
export function waitForSave({ memory }: GraphStore, timeoutMs: number): void {
  const { ints } = memory.header;
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    const saving = Atomics.load(ints, Header.Saving);
    if (saving === 0 || performance.now() > giveUpAt) return;
    Atomics.wait(ints, Header.Saving, saving, SLEEP_MS);
  }
}
