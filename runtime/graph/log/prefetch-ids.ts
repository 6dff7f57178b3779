// Prefetches the vertices of the next transactions of a log, so that their cache misses overlap.
// One transaction alone has few misses, which depend on each other.

import { MAX_STRING } from "../model/constants.js";
import type { GraphStore } from "../store/graph-store.js";
import { OperationCode } from "../store/operation.js";
import { wordsFor } from "../store/packed-text.js";
import { TRANSACTION_HEAD_WORDS, transactionWords } from "./transaction-format.js";

/** Transactions prefetched together: about the cache misses that a core can overlap. */
const GROUP = 16;
const HEAD_WORDS = 2;
const VALUE_WORDS = 2;
const offsets = new Int32Array(2 * GROUP);

/**
 * Prefetches the vertices of the first record of each transaction. Does not validate the content.
 * @param at offset of the first transaction
 * @param end end of all transactions
 * @returns offset behind the last one
 */
export function prefetchIds(
  store: GraphStore,
  words: Uint32Array,
  at: number,
  end: number,
): number {
  let next = at;
  let count = 0;
  for (let left = GROUP; left > 0 && next < end; left--) {
    const length = transactionWords(words, next);
    if (length === 0) return end;
    const record = next + TRANSACTION_HEAD_WORDS;
    const code = words[record]! & 0xff;
    const isConnect = code === OperationCode.Connect;
    next = Math.min(next + length, end);
    const first = record + HEAD_WORDS + (isConnect ? VALUE_WORDS : 0);
    const second = endOf(words, first, next);
    if (second === 0 || code === OperationCode.Enumerate) continue;
    offsets[count++] = first + 1;
    if (isConnect && endOf(words, second, next) > 0) offsets[count++] = second + 1;
  }
  if (count > 0) store.ids.prefetch(words, offsets, count);
  return next;
}

/** Returns the end of the text at an offset; 0 if it exceeds the transaction. */
function endOf(words: Uint32Array, at: number, end: number): number {
  const bytes = at < end ? words[at]! : MAX_STRING + 1;
  const after = at + 1 + wordsFor(bytes);
  return bytes > 0 && bytes <= MAX_STRING && after <= end ? after : 0;
}
