// Consistent lock-free reads: retries a read if a name code was reused meanwhile (ABA problem),
// which happens once all codes of a kind are assigned, or if a batch was committed meanwhile, which
// a read of several vertices could see in part. The last attempt holds the mutex.

import { Header } from "../memory/layout.js";
import type { GraphStore } from "./graph-store.js";

const MAX_READINGS = 3;

/**
 * Returns the result of a read during which no code was reused and no batch committed.
 * @param isOnce true if `read` must not run twice: it then runs under the mutex if codes were ever
 *   reused
 */
export function readConsistently<T>(store: GraphStore, isOnce: boolean, read: () => T): T {
  const { ints } = store.memory.header;
  const { writer } = store;
  if (writer.isWriting) return read();
  store.enlargeIfRequested();
  if (!isOnce || Atomics.load(ints, Header.NameReuses) === 0) {
    for (let reading = 1; reading < MAX_READINGS; reading++) {
      const reuses = Atomics.load(ints, Header.NameReuses);
      const batches = Atomics.load(ints, Header.Batches);
      const result = read();
      const isSteady = isOnce || Atomics.load(ints, Header.Batches) === batches;
      if (isSteady && Atomics.load(ints, Header.NameReuses) === reuses) return result;
    }
  }
  writer.beginReading();
  try {
    return read();
  } finally {
    writer.end();
  }
}
