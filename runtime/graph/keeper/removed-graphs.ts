// Graphs that were let go, by whatever thread: all others learn of it, forget the graph and give
// its memory back. They do so between two of their tasks, never in the midst of one.

import { setTimeout as sleep } from "node:timers/promises";
import { collectGarbage } from "../../base/idle-collector.js";
import { Header } from "../memory/layout.js";
import type { GraphStore } from "../store/graph-store.js";

/** Below it memory may stay until the collector looks for it anyway: 32 MiB. */
const MUCH_BYTES = 2 ** 25;
const SLEEP_MS = 50;

/** Lets a graph go, for all threads. */
export function removeForAll({ memory }: GraphStore): void {
  Atomics.store(memory.header.ints, Header.Erased, 1);
  Atomics.notify(memory.header.ints, Header.Erased);
}

/**
 * Gives this thread's hold on the memory back once the graph is removed.
 * @param forget is called then; the store is of no use any more
 */
export function onRemoved(store: GraphStore, forget: () => void): void {
  const waiting = Atomics.waitAsync(store.memory.header.ints, Header.Erased, 0);
  void Promise.resolve(waiting.value).then(async () => {
    forget();
    const { ints } = store.memory.header;
    while (Atomics.load(ints, Header.Saving) === store.writer.thread) await sleep(SLEEP_MS);
    // Later: until this function has ended, it may hold what is to be collected.
    if (store.memory.leave() >= MUCH_BYTES) setImmediate(collectGarbage);
  });
}
