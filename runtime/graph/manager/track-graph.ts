// What becomes of a graph that a thread has, whatever thread does it: it goes to other memory, or
// is let go. A thread follows between two of its tasks, never in the midst of one, and gives back
// what it held of the memory before.

import { setTimeout as sleep } from "node:timers/promises";
import { collectGarbage } from "../../base/idle-gc.js";
import { Header } from "../memory/layout.js";
import { joinSafepoints, leaveSafepoints, type Move } from "../memory/safepoint.js";
import type { GraphStore } from "../store/graph-store.js";

/** Below it memory may stay until the collector looks for it anyway: 32 MiB. */
const MUCH_BYTES = 2 ** 25;
const SLEEP_MS = 50;

/** Lets a graph go, for all threads. */
export function removeEverywhere({ memory }: GraphStore): void {
  Atomics.store(memory.header.ints, Header.Erased, 1);
  Atomics.notify(memory.header.ints, Header.Erased);
}

/**
 * Follows a graph until it is let go.
 * @param forget is called then; the store is of no use any more
 * @returns false if its share is out of date: the store is of no use, and another is to be got
 */
export function trackGraph(store: GraphStore, forget: () => void): boolean {
  const move: Move = (memories) => collectIfLarge(store.move(memories));
  if (!joinSafepoints(store.memory, store.writer.thread, move)) return false;
  const waiting = Atomics.waitAsync(store.memory.header.ints, Header.Erased, 0);
  void Promise.resolve(waiting.value).then(async () => {
    forget();
    const { ints } = store.memory.header;
    while (Atomics.load(ints, Header.Saving) === store.writer.thread) await sleep(SLEEP_MS);
    leaveSafepoints(store.memory, move);
    collectIfLarge(store.memory.leave());
  });
  return true;
}

function collectIfLarge(bytes: number): void {
  // Later: until the caller has ended, it may hold what is to be collected.
  if (bytes >= MUCH_BYTES) setImmediate(collectGarbage);
}
