// The head of a unit, in a ring and in the log; memory/log-ring.ts draws it.

import {
  COUNT_HIGH_MASK,
  RECORDS_SHIFT,
  TRANSACTION,
  TRANSACTION_HEAD_WORDS,
} from "../memory/commit-ring.js";

export { TRANSACTION, TRANSACTION_HEAD_WORDS };

/** Words of the unit that begins there, its head included; 0 if none does. */
export function transactionWords(words: Uint32Array, at: number): number {
  const head = words[at] ?? 0;
  return (head & 0xff) === TRANSACTION && head >>> 8 >= TRANSACTION_HEAD_WORDS ? head >>> 8 : 0;
}

/** Operation count of the graph behind a unit. */
export function operationCountAfter(words: Uint32Array, at: number): number {
  return words[at + 1]! + (words[at + 2]! & COUNT_HIGH_MASK) * 2 ** 32;
}

/** Operation count of the graph before a unit. */
export function operationCountBefore(words: Uint32Array, at: number): number {
  return operationCountAfter(words, at) - recordCount(words, at);
}

/** Operations of a unit. */
export function recordCount(words: Uint32Array, at: number): number {
  return words[at + 2]! >>> RECORDS_SHIFT;
}
