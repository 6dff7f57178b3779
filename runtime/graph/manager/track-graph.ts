// Tracks what other threads do with an attached graph: relocation and removal. The thread follows
// between two of its tasks and releases the old memory.

import { setTimeout as sleep } from "node:timers/promises";
import { collectGarbage } from "../../base/idle-gc.js";
import { Header } from "../memory/layout.js";
import { joinSafepoints, leaveSafepoints, type Move } from "../memory/safepoint.js";
import type { GraphStore } from "../store/graph-store.js";

/** 32 MiB; smaller memory is left to the regular garbage collection. */
const COLLECT_ABOVE_BYTES = 2 ** 25;
const SLEEP_MS = 50;

/** Closes a graph for all threads. */
export function removeEverywhere({ memory }: GraphStore): void {
  Atomics.store(memory.header.ints, Header.Erased, 1);
  Atomics.notify(memory.header.ints, Header.Erased);
}

/**
 * Follows a graph until it is removed.
 * @param forget called then; the store is unusable afterwards
 * @param moved called in a turn of its own after each relocation
 * @returns false if its share is outdated: request a new one and discard the store
 */
export function trackGraph(
  store: GraphStore,
  forget: () => void,
  moved: () => void = () => undefined,
): boolean {
  const move: Move = (memories) => {
    collectIfLarge(store.move(memories));
    // Other threads must not wait for it.
    setImmediate(moved);
  };
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
  // Deferred, because the caller may still reference the memory.
  if (bytes >= COLLECT_ABOVE_BYTES) setImmediate(collectGarbage);
}
