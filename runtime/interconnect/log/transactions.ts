// Contents of a frame: transactions of graphs, and control records of the log itself. Each has a
// sequence number.
//
//   transaction  4 words (graph/memory/commit-ring.ts), the fourth the graph's number in the log;
//                then the operations of one commit; JOINED_TRANSACTION if it forms one change
//                with the next one
//   control      CONTROL | words << 8 | length of a JSON text in bytes, 0, 0; then the text

import {
  JOINED_TRANSACTION,
  recordCount,
  TRANSACTION,
  TRANSACTION_HEAD_WORDS,
} from "../../graph/log/transaction-format.js";
import { DataError } from "../../graph/model/errors.js";
import type { Frame } from "./segment-reader.js";

const CONTROL = 0x02;

export interface TransactionVisitor {
  /** @param graph its number in the log */
  transaction(words: Uint32Array, at: number, graph: number): void;
  control(json: unknown): void;
}

/** @throws DataError if the content is invalid despite its checksum */
export function forEachTransaction(
  { header, words, at: start, end }: Frame,
  visitor: TransactionVisitor,
): void {
  let transactions = 0;
  for (let at = start; at < end; transactions++) {
    const head = words[at]!;
    const length = head >>> 8;
    if (length < TRANSACTION_HEAD_WORDS || at + length > end)
      throw new DataError("corrupt log transaction");
    const kind = head & 0xff;
    if (kind === TRANSACTION || kind === JOINED_TRANSACTION)
      visitor.transaction(words, at, words[at + 3]!);
    else if (kind === CONTROL) visitor.control(parseControl(words, at));
    else throw new DataError("unknown kind of log transaction");
    at += length;
  }
  if (transactions !== header.transactions)
    throw new DataError("log frame has another number of transactions than its header states");
}

/** Returns the number of operations in a frame. */
export function countRecords(frame: Frame): number {
  let records = 0;
  const transaction = (words: Uint32Array, at: number): void => {
    records += recordCount(words, at);
  };
  forEachTransaction(frame, { transaction, control: () => undefined });
  return records;
}

/** Encodes a control record. */
export function encodeControlRecord(content: unknown): Uint32Array {
  const text = paddedJson(content);
  const words = new Uint32Array(TRANSACTION_HEAD_WORDS + text.length / 4);
  words[0] = CONTROL | (words.length << 8);
  words[1] = text.length;
  new Uint8Array(words.buffer).set(text, TRANSACTION_HEAD_WORDS * 4);
  return words;
}

/** Returns JSON padded with spaces to whole words. */
export function paddedJson(content: unknown): Buffer {
  const text = Buffer.from(JSON.stringify(content));
  return Buffer.concat([text, Buffer.alloc(-text.length & 3, " ")]);
}

/** Returns whether a control record begins at an offset of a frame. */
export function isControl(words: Uint32Array, at: number): boolean {
  return (words[at]! & 0xff) === CONTROL;
}

/**
 * Returns the content of a control record.
 * @throws DataError, SyntaxError
 */
export function parseControl(words: Uint32Array, at: number): unknown {
  const from = words.byteOffset + (at + TRANSACTION_HEAD_WORDS) * 4;
  const length = ((words[at]! >>> 8) - TRANSACTION_HEAD_WORDS) * 4;
  if (words[at + 1] !== length) throw new DataError("corrupt log transaction");
  return JSON.parse(Buffer.from(words.buffer, from, length).toString());
}
