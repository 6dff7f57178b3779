// Head of a transaction in a ring and in the log; see memory/commit-ring.ts.

import {
  COUNT_HIGH_MASK,
  JOINED_TRANSACTION,
  RECORDS_SHIFT,
  TRANSACTION,
  TRANSACTION_HEAD_WORDS,
} from "../memory/commit-ring.js";

export { JOINED_TRANSACTION, TRANSACTION, TRANSACTION_HEAD_WORDS };

/** Returns whether a transaction of the log was committed together with the following one. */
export function isJoined(words: Uint32Array, at: number): boolean {
  return (words[at]! & 0xff) === JOINED_TRANSACTION;
}

/** Returns the words of the transaction at an offset, including its head; 0 if there is none. */
export function transactionWords(words: Uint32Array, at: number): number {
  const head = words[at] ?? 0;
  const kind = head & 0xff;
  if (kind !== TRANSACTION && kind !== JOINED_TRANSACTION) return 0;
  return head >>> 8 >= TRANSACTION_HEAD_WORDS ? head >>> 8 : 0;
}

/** Returns the operation count of the graph after a transaction. */
export function operationCountAfter(words: Uint32Array, at: number): number {
  return words[at + 1]! + (words[at + 2]! & COUNT_HIGH_MASK) * 2 ** 32;
}

/** Returns the operation count of the graph before a transaction. */
export function operationCountBefore(words: Uint32Array, at: number): number {
  return operationCountAfter(words, at) - recordCount(words, at);
}

/** Returns the number of records of a transaction. */
export function recordCount(words: Uint32Array, at: number): number {
  return words[at + 2]! >>> RECORDS_SHIFT;
}
