// Tracks relocation and removal of an attached graph by other threads. This thread switches to the
// new memory between two of its tasks and releases the old memory.

import { setTimeout as sleep } from "node:timers/promises";
import { collectGarbage } from "../../base/idle-gc.js";
import { Header } from "../memory/layout.js";
import { joinSafepoints, leaveSafepoints, type Move } from "../memory/safepoint.js";
import type { GraphStore } from "../store/graph-store.js";

/** 32 MiB. Releasing less does not justify an explicit garbage collection. */
const COLLECT_ABOVE_BYTES = 2 ** 25;
const SLEEP_MS = 50;

/** Closes a graph for all threads. */
export function removeEverywhere({ memory }: Pick<GraphStore, "memory">): void {
  Atomics.store(memory.header.ints, Header.Erased, 1);
  Atomics.notify(memory.header.ints, Header.Erased);
}

/**
 * Follows a graph until it is removed.
 * @param forget called at the removal; the store is unusable afterwards
 * @param moved called after each relocation, in a later turn of the event loop
 * @returns false if the share of the store is outdated: discard the store and request a new share
 */
export function trackGraph(
  store: GraphStore,
  forget: () => void,
  moved: () => void = () => undefined,
): boolean {
  const move: Move = (memories) => {
    collectIfLarge(store.move(memories));
    // Deferred: this runs at a safepoint, which must be short.
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
