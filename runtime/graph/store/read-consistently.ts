// What reads codes without a lock and names them later, or looks names up and compares codes later,
// would mix two names up where a code is given to another name in between, which happens once all
// codes of a kind were given. What reads several vertices would see a half of a batch that is
// committed in between. Then it is read again, at last while nobody can write.

import { Header } from "../memory/layout.js";
import type { GraphStore } from "./graph-store.js";

const MAX_READINGS = 3;

/**
 * What was read while no code was given to another name, and no batch was committed.
 * @param isOnce true for what must not be read twice: nobody writes meanwhile if codes are reused
 */
export function readConsistently<T>(store: GraphStore, isOnce: boolean, read: () => T): T {
  const { ints } = store.memory.header;
  const { writer } = store;
  if (writer.isWriting) return read();
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
