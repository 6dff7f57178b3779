// Replays a transaction of the log: all of it or nothing, in one commit. A transaction contains the
// operation count of its graph, so none is skipped or applied twice.

import { Header } from "../memory/layout.js";
import { DataError } from "../model/errors.js";
import { apply } from "../operations/apply.js";
import type { GraphStore } from "../store/graph-store.js";
import { setInputSerial } from "../store/input-serial.js";
import { OperationCode, type OperationCodeNumber } from "../store/operation.js";
import { readRecord } from "./read-record.js";
import { corruptRecord, RecordReader } from "./record-reader.js";
import {
  operationCountBefore,
  recordCount,
  TRANSACTION_HEAD_WORDS,
  transactionWords,
} from "./transaction-format.js";

const reader = new RecordReader();

/**
 * Applies a transaction to a graph. Does not check constraints and owners, because the instance
 * that wrote the transaction has accepted it.
 * @param words memory that no other thread writes to
 * @param at offset of the transaction, which lies completely in `words`
 * @param serial serial of a transaction received from another instance
 * @throws DataError if it is corrupt, or not the next one of this graph
 */
export function applyTransaction(
  store: GraphStore,
  words: Uint32Array,
  at: number,
  serial: number | null = null,
): void {
  const { constraints, writer } = store;
  constraints.isEnforced = false;
  store.checksOwner = false;
  try {
    writer.mutate(() => applyRecords(store, words, at, serial));
  } finally {
    constraints.isEnforced = true;
    store.checksOwner = true;
  }
}

function applyRecords(
  store: GraphStore,
  words: Uint32Array,
  at: number,
  serial: number | null,
): void {
  const before = operationCountBefore(words, at);
  const { writer } = store;
  if (store.operationCount !== before) throw outOfOrder(store, before);
  if (serial !== null) {
    setInputSerial(store, serial);
    writer.add(store.memory.header, Header.InputCount, 1);
  }
  reader.begin(words, at + TRANSACTION_HEAD_WORDS, at + transactionWords(words, at));
  const records = recordCount(words, at);
  if (records > 1) {
    // Nested, so that the removal of a hub does not commit in steps.
    writer.mutate(() => {
      for (let left = records; left > 1; left--) applyRecord(store, left);
    });
  }
  applyRecord(store, 1);
}

/** @param left records of the transaction, with this one */
function applyRecord(store: GraphStore, left: number): void {
  const { operation } = store;
  readRecord(store, reader, operation);
  if (left === 1 && !reader.isAtEnd) throw corruptRecord("too long");
  // A truncation commits in steps, so no operation that may fail can follow it.
  const isTruncation = operation.code === OperationCode.Truncate;
  if (left > 1 && isTruncation) throw corruptRecord("truncation within");
  apply(store, operation);
  reader.recordApplied(operation.vertex, mayRemoveVertices(operation.code));
}

/** Returns true if the operation may have removed vertices. */
function mayRemoveVertices(code: OperationCodeNumber): boolean {
  return (
    code === OperationCode.DeleteVertex ||
    code === OperationCode.Disconnect ||
    code === OperationCode.Truncate
  );
}

function outOfOrder(store: GraphStore, before: number): DataError {
  const { name, operationCount } = store;
  return new DataError(
    `log continues at operation ${before} of graph "${name}", which is at ${operationCount}`,
  );
}
