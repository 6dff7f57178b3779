// A transaction log of made-up transactions, in small segments of a simulated disk.

import { join } from "node:path";
import { LOG_FOLDER } from "../../../../runtime/base/graph-names.js";
import {
  JOINED_TRANSACTION,
  operationCountAfter,
  TRANSACTION,
  TRANSACTION_HEAD_WORDS,
} from "../../../../runtime/graph/log/transaction-format.js";
import { FRAME_HEADER_BYTES } from "../../../../runtime/interconnect/log/segment-format.js";
import { SegmentLog } from "../../../../runtime/interconnect/log/segment-log.js";
import { encodeControlRecord } from "../../../../runtime/interconnect/log/transactions.js";
import { makeUnit } from "../../graph/support/logged-graph.js";
import type { SimulatedDisk } from "./simulated-disk.js";

export const ROOT = "/no such folder";
export const FOLDER = join(ROOT, LOG_FOLDER);

export interface Unit {
  readonly graph?: number;
  /** Operations before it. */
  readonly before: number;
  readonly second: number;
  readonly words?: number;
  /** It belongs together with the next one. */
  readonly isJoined?: boolean;
}

export function makeTransaction({ graph = 1, before, second, words = 2, isJoined = false }: Unit) {
  const created = new Uint32Array(TRANSACTION_HEAD_WORDS + words);
  created.set(makeUnit(before, [0, second]));
  created[0] = ((isJoined ? JOINED_TRANSACTION : TRANSACTION) | (created.length << 8)) >>> 0;
  created[3] = graph;
  return created;
}

/** A record of the log itself. */
export function control(number: number) {
  return encodeControlRecord({ erased: number });
}

export function openUnits(disk: SimulatedDisk, segmentBytes = 1024): SegmentLog {
  const options = { segmentBytes, table: () => Buffer.from("[]  ") };
  return SegmentLog.open(disk, FOLDER, options, () => undefined).log;
}

/** Appends and flushes one frame. */
export function write(log: SegmentLog, ...units: readonly Uint32Array[]): void {
  const bytes = units.map((words) => new Uint8Array(words.buffer));
  log.append(Buffer.concat([Buffer.alloc(FRAME_HEADER_BYTES), ...bytes]), units.length);
  log.flushNow();
}

/** Graph and operation count of each transaction, by frame. */
export function frames(log: SegmentLog): string[] {
  return [...log.read(log.first)].map(({ words, at, end }) => {
    const units: string[] = [];
    for (let next = at; next < end; next += words[next]! >>> 8) {
      const isControl = (words[next]! & 0xff) === 2;
      units.push(isControl ? "c" : `${words[next + 3]}:${operationCountAfter(words, next)}`);
    }
    return units.join(" ");
  });
}
