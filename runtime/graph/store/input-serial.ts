// Position of a replica in the log of its provider: serial of the last transaction applied, stored
// with the graph and shown in its status. Correctness rests on the operation count instead, so
// setting the serial can neither lose nor repeat changes.

import { Header } from "../memory/layout.js";
import { ValueError } from "../model/errors.js";
import type { GraphStore } from "./graph-store.js";

/** Returns the serial of the last transaction applied, 0 if none, and the number applied. */
export function readReplicaInput({ memory: { header } }: GraphStore): {
  serial: number;
  count: number;
} {
  const { words } = header;
  const serial = words[Header.InputSerial]! + words[Header.InputSerialHigh]! * 2 ** 32;
  return { serial, count: words[Header.InputCount]! };
}

/**
 * Sets the serial, for tests and restores. The next transaction stays the same.
 * @throws ValueError if it is not an integer of 0 or more
 */
export function resetInputSerial(store: GraphStore, serial: number): number {
  if (!Number.isSafeInteger(serial) || serial < 0) {
    throw new ValueError("a serial is an integer of 0 or more");
  }
  store.writer.mutate(() => setInputSerial(store, serial));
  return serial;
}

/** Sets the serial; neither logged nor replicated. Requires a mutation. */
export function setInputSerial({ writer, memory }: GraphStore, serial: number): void {
  writer.put(memory.header, Header.InputSerial, serial % 2 ** 32);
  writer.put(memory.header, Header.InputSerialHigh, Math.floor(serial / 2 ** 32));
}
