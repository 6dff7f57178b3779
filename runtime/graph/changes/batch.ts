// Many changes as one: all happen or none, for readers, for the log and for who recovers the
// graph. The mutex is held meanwhile, so a batch keeps to one graph, cannot wait, and is bounded.

import { Header } from "../memory/layout.js";
import { freezeClock, unfreezeClock } from "../memory/time.js";
import { Writer } from "../memory/writer.js";
import type { GraphStore } from "../store/graph-store.js";

/**
 * Runs a function whose changes are made together, or not at all when it throws.
 * @throws CapacityError too many changes; AccessError another graph, vertices that are opened
 * @throws TypeError a function that goes on later, when the mutex has been given back
 */
export function batch<T>({ writer, memory }: GraphStore, run: () => T): T {
  if (typeof run !== "function") throw new TypeError("a batch is a function");
  const before = Writer.batchWriter;
  if (before === null) Writer.batchWriter = writer;
  const isFirst = freezeClock();
  try {
    return writer.mutate(() => {
      const result = run();
      if (isThenable(result)) throw new TypeError("a batch cannot wait: its function is async");
      // Nobody sees any of it yet. Queries that have seen what was before look again.
      if (!writer.isNested) Atomics.add(memory.header.ints, Header.Batches, 1);
      return result;
    });
  } finally {
    Writer.batchWriter = before;
    if (isFirst) unfreezeClock();
  }
}

function isThenable(value: unknown): boolean {
  return typeof value === "object" && value !== null && "then" in value;
}
