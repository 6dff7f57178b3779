// Ends a restored transaction log at the target of the restore, within a frame if necessary. The
// result gets a new log id: sequence numbers continue, but other instances can distinguish it from
// the original log, which may have continued differently.

import { join } from "node:path";
import { isJoined, transactionWords } from "../../graph/log/transaction-format.js";
import type { Disk, DiskFile } from "../log/disk.js";
import {
  decodeSegmentHeader,
  encodeSegmentHeader,
  FRAME_HEADER_BYTES,
  newLogId,
  putFrameHeader,
  SEGMENT_HEADER_BYTES,
} from "../log/segment-format.js";
import type { Frame } from "../log/segment-reader.js";
import { listSegments, readLog, type Segment } from "../log/segments.js";
import { isControl } from "../log/transactions.js";
import { readSecond } from "./log-pieces.js";
import type { LogPoint } from "./manifest.js";
import type { RestoreTarget } from "./restore-plan.js";

export interface CutLog {
  /** Where the log was cut. */
  readonly end: LogPoint;
  readonly epoch: number;
  /** Id of the new log. */
  readonly id: string;
}

/** Position at which the log is truncated. */
interface Cut {
  readonly segment: Segment;
  readonly offset: number;
  /** Frame with only the leading transactions of the original one; null: cut between frames. */
  readonly rest: Buffer | null;
}

/**
 * @param folder of the log
 * @throws LogCorruptionError
 */
export function cutLog(disk: Disk, folder: string, target: RestoreTarget): CutLog {
  let end: LogPoint = { id: "", sn: 0, chain: 0, at: 0 };
  let cut: Cut | null = null;
  const log = readLog(disk, folder, (frame, segment) => {
    if (frame.header.isTable || cut !== null) return;
    const kept = measureKept(frame, target, end.at);
    const { sn, transactions, epoch } = frame.header;
    let { headerCrc: chain } = frame.header;
    if (kept.transactions < transactions) {
      const rest =
        kept.transactions === 0 ? null : Buffer.from(frame.bytes.subarray(0, kept.bytes));
      const header = {
        isTable: false,
        chain: frame.header.chain,
        sn,
        transactions: kept.transactions,
        epoch,
      };
      chain = rest === null ? frame.header.chain : putFrameHeader(rest, header);
      cut = { segment, offset: frame.offset, rest };
    }
    end = { ...end, sn: sn + kept.transactions - 1, chain, at: kept.at };
  });
  if (cut !== null) shorten(disk, folder, cut);
  const id = newLogId();
  for (const { name } of listSegments(disk, folder)) replaceLogId(disk, join(folder, name), id);
  disk.flushFolder(folder);
  return { end: { ...end, id: log!.logId }, epoch: log!.epoch, id };
}

interface Kept {
  readonly transactions: number;
  readonly bytes: number;
  readonly at: number;
}

/** Returns the part of a frame up to the target, without splitting joint transactions. */
function measureKept(
  { header, words, at: start, end }: Frame,
  target: RestoreTarget,
  before: number,
): Kept {
  let kept: Kept = { transactions: 0, bytes: FRAME_HEADER_BYTES, at: before };
  let second = before;
  for (let at = start, transactions = 0; at < end; ) {
    const isControlRecord = isControl(words, at);
    if (!isControlRecord) second = readSecond(words, at);
    const isBeyond =
      (target.kind === "position" && header.sn + transactions > target.sn) ||
      (target.kind === "time" && second > target.second);
    if (isBeyond) return kept;
    const isLastOfJoint = !isJoined(words, at);
    at += isControlRecord ? words[at]! >>> 8 : transactionWords(words, at);
    transactions++;
    if (isLastOfJoint)
      kept = { transactions, bytes: FRAME_HEADER_BYTES + (at - start) * 4, at: second };
  }
  return kept;
}

function shorten(disk: Disk, folder: string, { segment, offset, rest }: Cut): void {
  withFile(disk, join(folder, segment.name), (file) => {
    file.truncate(offset);
    if (rest !== null) file.write(rest, offset);
  });
  for (const { name, firstSn } of listSegments(disk, folder)) {
    if (firstSn > segment.firstSn) disk.remove(join(folder, name));
  }
}

/** Replaces the log id in the header of a segment. */
function replaceLogId(disk: Disk, path: string, logId: string): void {
  withFile(disk, path, (file) => {
    const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES);
    file.read(bytes, 0);
    const header = decodeSegmentHeader(bytes);
    if (header === null || typeof header === "number") throw new Error(`${path} has no header`);
    file.write(encodeSegmentHeader({ ...header, logId }), 0);
  });
}

function withFile(disk: Disk, path: string, change: (file: DiskFile) => void): void {
  const file = disk.open(path, "write");
  try {
    change(file);
    file.flushNow();
  } finally {
    file.close();
  }
}
