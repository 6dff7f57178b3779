// Does again what a unit of the log says was done: all of it or nothing, in one commit. A unit says
// which operation of its graph its last one was, so that none is left out or done twice.

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
 * @param words in memory that no other thread writes to
 * @param at where a unit begins that lies in them completely
 * @param serial of the unit where another instance has sent it
 * @throws DataError the unit is damaged, or is not the next one of this graph
 */
export function applyTransaction(
  store: GraphStore,
  words: Uint32Array,
  at: number,
  serial: number | null = null,
): void {
  const before = operationCountBefore(words, at);
  const { operation, writer } = store;
  writer.mutate(() => {
    if (store.operationCount !== before) throw outOfOrder(store, before);
    if (serial !== null) {
      setInputSerial(store, serial);
      writer.add(store.memory.header, Header.InputCount, 1);
    }
    reader.begin(words, at + TRANSACTION_HEAD_WORDS, at + transactionWords(words, at));
    for (let left = recordCount(words, at); left > 0; left--) {
      readRecord(store, reader, operation);
      if (left === 1 && !reader.isAtEnd) throw corruptRecord("too long");
      // It commits in steps: nothing that might be refused can come behind it.
      const isTruncation = operation.code === OperationCode.Truncate;
      if (left > 1 && isTruncation) throw corruptRecord("truncation within");
      // The removal of a hub does so unless it is a part of something.
      if (left > 1) writer.mutate(() => apply(store, operation));
      else apply(store, operation);
      reader.note(operation.vertex, mayRemove(operation.code));
    }
  });
}

/** Whether vertices may be gone when an operation is done. */
function mayRemove(code: OperationCodeNumber): boolean {
  return (
    code === OperationCode.DeleteVertex ||
    code === OperationCode.Disconnect ||
    code === OperationCode.Truncate
  );
}

function outOfOrder(store: GraphStore, before: number): DataError {
  const { name, operationCount } = store;
  return new DataError(
    `the log goes on at operation ${before} of graph "${name}", which is at ${operationCount}`,
  );
}
