// A graph whose changes go to a ring, as in a server with a transaction log; tests drain the ring
// like the thread that writes the log.

import { applyTransaction } from "../../../../runtime/graph/log/apply-transaction.js";
import { drainTransactions } from "../../../../runtime/graph/log/drain-transactions.js";
import { CommitClock } from "../../../../runtime/graph/memory/commit-clock.js";
import {
  CommitRing,
  createRingMemory,
  RECORDS_SHIFT,
  TRANSACTION,
  TRANSACTION_HEAD_WORDS,
} from "../../../../runtime/graph/memory/commit-ring.js";
import type { SharedLogMemory } from "../../../../runtime/graph/memory/graph-memory.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { PackedText } from "../../../../runtime/graph/store/packed-text.js";
import { TEST_THREAD } from "./make-graph.js";

/** Saves wait for the log: everything that is ever committed counts as flushed. */
const LAST_FLUSH = 2 ** 30;

/** @param ringWords a power of 2 */
export function makeLog(ringWords?: number): SharedLogMemory {
  const clock = new CommitClock();
  clock.finish(LAST_FLUSH);
  return { ring: createRingMemory(ringWords), clock: clock.buffer };
}

/** @param ringWords a power of 2 */
export function loggedStore(ringWords?: number): GraphStore {
  const store = GraphStore.create("test", TEST_THREAD, { log: makeLog(ringWords) });
  store.memory.log!.isOn = true;
  return store;
}

/** Removes and returns the transactions that wait in the ring of a graph. */
export function takeUnits({ memory }: GraphStore): Uint32Array[] {
  const { clock } = memory.log!;
  const ring = new CommitRing(memory.log!.memory, clock);
  const units: Uint32Array[] = [];
  const taken = drainTransactions([{ ring, number: 0 }], clock, (words, offset, length) => {
    units.push(words.slice(offset, offset + length));
    return true;
  });
  taken.release();
  return units;
}

/** Replays the changes since the last call on another graph. */
export function replayTo(store: GraphStore, copy: GraphStore): void {
  for (const transaction of takeUnits(store)) applyTransaction(copy, transaction, 0);
}

/** A transaction of records given in words; `before` is the operation count of its graph. */
export function makeUnit(before: number, ...records: readonly (readonly number[])[]): Uint32Array {
  const words = records.flat();
  const count = before + records.length;
  const third = (Math.floor(count / 2 ** 32) | (records.length << RECORDS_SHIFT)) >>> 0;
  return Uint32Array.of(
    (TRANSACTION | ((TRANSACTION_HEAD_WORDS + words.length) << 8)) >>> 0,
    count >>> 0,
    third,
    0,
    ...words,
  );
}

/** A string or value in the format of records: its length, then its bytes in words. */
export function packed(content: string | readonly number[]): number[] {
  const text = new PackedText();
  if (typeof content === "string") text.setText(content);
  else text.setBytes(Uint8Array.from(content));
  return [text.bytes, ...text.words.subarray(0, text.wordCount)];
}
