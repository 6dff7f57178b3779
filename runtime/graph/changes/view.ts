// Reads one moment of a graph without a lock: a view in which the graph changed is read again.

import { checkTimeout } from "../model/check-argument.js";
import { AccessError } from "../model/errors.js";
import type { GraphStore } from "../store/graph-store.js";
import { requireSynchronous } from "./require-synchronous.js";

const DEFAULT_VIEW_MS = 1000;

/**
 * Runs a function that only reads; runs it again if the graph changed meanwhile.
 * @param timeoutMs how long to retry; the last attempt may take longer
 * @throws AccessError if the graph changed during each attempt, or the function changes it
 * @throws TypeError for an async function
 */
export function view<T>(store: GraphStore, run: () => T, timeoutMs = DEFAULT_VIEW_MS): T {
  if (typeof run !== "function") throw new TypeError("view requires a function");
  checkTimeout(timeoutMs);
  // In a batch, the graph changes only by what the batch does.
  if (store.writer.isWriting) return run();
  const giveUpAt = timeoutMs < 0 ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs;
  for (let attempts = 1; ; attempts++) {
    const before = countAtRest(store);
    const result = runReading(store, run);
    requireSynchronous(result, "view");
    // The operation count changes before readers can see the change.
    if (store.operationCount === before) return result;
    if (performance.now() < giveUpAt) continue;
    const often = attempts === 1 ? "during the view" : `during each of ${attempts} views`;
    throw new AccessError(
      `graph '${store.name}' changed ${often}; use \`batch\` to read it locked`,
    );
  }
}

/** Runs a function that may not change the graph: each attempt would repeat its changes. */
function runReading<T>(store: GraphStore, run: () => T): T {
  const wasViewing = store.isViewing;
  store.isViewing = true;
  try {
    return run();
  } finally {
    store.isViewing = wasViewing;
  }
}

/** Returns the number of operations while no other thread is in a mutation. */
export function countAtRest(store: GraphStore): number {
  if (store.writer.isWriting) return store.operationCount;
  store.writer.beginReading();
  try {
    return store.operationCount;
  } finally {
    store.writer.end();
  }
}
