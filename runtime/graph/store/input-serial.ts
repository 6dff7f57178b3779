// How far a replica has come, as its provider counts: the serial of the last unit of changes that a
// graph has taken from there. It is stored with the graph, and shown. What is taken is told by the
// count of operations, not by this: nothing is lost or done twice where somebody sets it.

import { Header } from "../memory/layout.js";
import { ValueError } from "../model/errors.js";
import type { GraphStore } from "./graph-store.js";

/** Serial of the last unit, 0 if there was none; how many there were. */
export function replicaInputOf({ memory: { header } }: GraphStore): {
  serial: number;
  count: number;
} {
  const { words } = header;
  const serial = words[Header.InputSerial]! + words[Header.InputSerialHigh]! * 2 ** 32;
  return { serial, count: words[Header.InputCount]! };
}

/**
 * For tests, and for whoever restores: what comes next stays the same.
 * @throws ValueError
 */
export function resetInputSerial(store: GraphStore, serial: number): number {
  if (!Number.isSafeInteger(serial) || serial < 0) {
    throw new ValueError("a serial is an integer of 0 or more");
  }
  store.writer.mutate(() => setInputSerial(store, serial));
  return serial;
}

/** In a mutation. It is no operation: neither logged nor passed on. */
export function setInputSerial({ writer, memory }: GraphStore, serial: number): void {
  writer.put(memory.header, Header.InputSerial, serial % 2 ** 32);
  writer.put(memory.header, Header.InputSerialHigh, Math.floor(serial / 2 ** 32));
}
