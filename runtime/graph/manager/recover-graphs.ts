// What the main thread does when others end: puts right what a dead thread left behind in graphs,
// and waits for those that save a graph which is let go.

import { setTimeout as sleep } from "node:timers/promises";
import { Header } from "../memory/layout.js";
import { forgetThread } from "../memory/safepoint.js";
import { recoverGraph, releaseStaleLocks } from "../operations/recover.js";
import { releaseSaveLock } from "../snapshot/save-graph.js";
import type { GraphStore } from "../store/graph-store.js";

const SLEEP_MS = 50;

/**
 * Puts right what a thread left behind that has died: at once, but for vertices that it held while
 * another thread has the mutex, which may be dead too and about to be recovered.
 */
export async function recoverGraphs(stores: readonly GraphStore[], thread: number): Promise<void> {
  for (const store of stores) {
    releaseSaveLock(store, thread);
    forgetThread(store.memory, thread);
  }
  let left = stores.filter((store) => !recoverGraph(store, thread));
  while (left.length > 0) {
    await sleep(SLEEP_MS, undefined, { ref: false });
    left = left.filter((store) => !releaseStaleLocks(store, thread));
  }
}

/** Nobody may begin to save any more; who has begun gives up at the next step. */
export function waitForSave({ memory }: GraphStore, timeoutMs: number): void {
  const { ints } = memory.header;
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    const saving = Atomics.load(ints, Header.Saving);
    if (saving === 0 || performance.now() > giveUpAt) return;
    Atomics.wait(ints, Header.Saving, saving, SLEEP_MS);
  }
}
