// Checks a transaction log, and determines how much of a corrupt one is usable.

import type { Disk } from "./disk.js";
import { LogCatalog } from "./log-catalog.js";
import { LogCorruptionError, listSegments, readLog, type Segment } from "./segments.js";

export interface LogReport {
  readonly segments: readonly Segment[];
  /** Number of usable transactions, and the sequence number of the last one. */
  readonly transactions: number;
  readonly last: number;
  /** Bytes of a torn write at the end. */
  readonly tornBytes: number;
  /** First corruption; null: intact. */
  readonly damage: LogCorruptionError | null;
  /** Segment and byte offset where usable data ends; null: nothing is usable. */
  readonly end: { readonly segment: Segment; readonly offset: number } | null;
}

/** Reads the whole log without changing it. */
export function checkLog(disk: Disk, folder: string): LogReport {
  const usable = { transactions: 0, last: 0, end: null as LogReport["end"] };
  let damage: LogCorruptionError | null = null;
  let tornBytes = 0;
  try {
    const graphs = new LogCatalog();
    const end = readLog(disk, folder, (frame, segment) => {
      graphs.readFrame(frame, () => undefined);
      const { header, offset, bytes } = frame;
      usable.end = { segment, offset: offset + bytes.length };
      if (header.isTable) return;
      usable.transactions += header.transactions;
      usable.last = header.sn + header.transactions - 1;
    });
    tornBytes = end?.tornBytes ?? 0;
  } catch (error) {
    if (!(error instanceof LogCorruptionError)) throw error;
    damage = error;
  }
  return { segments: listSegments(disk, folder), ...usable, tornBytes, damage };
}
