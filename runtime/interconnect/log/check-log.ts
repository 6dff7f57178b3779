// What a log holds, and how much of it can be used where it is damaged.

import type { Disk } from "./disk.js";
import { LogCatalog } from "./log-catalog.js";
import { LogCorruptionError } from "./log-errors.js";
import { listSegments, readLog, type Segment } from "./segments.js";

export interface LogReport {
  readonly segments: readonly Segment[];
  /** Units that can be used, and the number of the last one. */
  readonly units: number;
  readonly last: number;
  /** Bytes that an interrupted write has left at the end. */
  readonly tornBytes: number;
  /** What is wrong; null: nothing. */
  readonly damage: LogCorruptionError | null;
  /** The segment in which what can be used ends, and its byte there; null: nothing can. */
  readonly end: { readonly segment: Segment; readonly offset: number } | null;
}

/** Reads all of a log, and changes nothing. */
export function checkLog(disk: Disk, folder: string): LogReport {
  const found = { units: 0, last: 0, end: null as LogReport["end"] };
  let damage: LogCorruptionError | null = null;
  let tornBytes = 0;
  try {
    const graphs = new LogCatalog();
    const end = readLog(disk, folder, (frame, segment) => {
      graphs.readFrame(frame, () => undefined);
      const { header, offset, bytes } = frame;
      found.end = { segment, offset: offset + bytes.length };
      if (header.isTable) return;
      found.units += header.units;
      found.last = header.sn + header.units - 1;
    });
    tornBytes = end?.tornBytes ?? 0;
  } catch (error) {
    if (!(error instanceof LogCorruptionError)) throw error;
    damage = error;
  }
  return { segments: listSegments(disk, folder), ...found, tornBytes, damage };
}
