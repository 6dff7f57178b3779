// Batches: many changes as one transaction, for readers, log and recovery. A batch holds the mutex,
// so it is limited to one graph, cannot wait, and is bounded in size.

import { Header } from "../memory/layout.js";
import { freezeClock, unfreezeClock } from "../memory/time.js";
import { Writer } from "../memory/writer.js";
import type { GraphStore } from "../store/graph-store.js";
import { requireSynchronous } from "./require-synchronous.js";

/**
 * Runs a function whose changes are committed together, or rolled back when it throws.
 * @throws CapacityError for too many changes; AccessError for another graph, or opening vertices
 * @throws TypeError for an async function, which would continue after the mutex was released
 */
export function batch<T>({ writer, memory }: GraphStore, run: () => T): T {
  if (typeof run !== "function") throw new TypeError("batch requires a function");
  const before = Writer.batchWriter;
  if (before === null) Writer.batchWriter = writer;
  const isFirst = freezeClock();
  try {
    return writer.mutate(() => {
      const result = run();
      requireSynchronous(result, "batch");
      // The batch is still invisible. Queries that read the state before must retry.
      if (!writer.isNested) Atomics.add(memory.header.ints, Header.Batches, 1);
      return result;
    });
  } finally {
    Writer.batchWriter = before;
    if (isFirst) unfreezeClock();
  }
}
