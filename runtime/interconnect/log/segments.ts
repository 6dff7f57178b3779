// Reads and cross-checks the segments of a log folder from first to last frame. A torn write is
// valid only at the end of the last segment; any other deviation is corruption. After a disk
// failure the log continues in a new segment; the old one may still contain frames of the same
// transactions, which are ignored.

import { join } from "node:path";
import { SvcError } from "../../base/errors.js";
import { explainLaterFormat } from "../../base/later-release.js";
import { DataError } from "../../graph/model/errors.js";
import type { Disk } from "./disk.js";
import {
  FRAME_HEADER_BYTES,
  type FrameHeader,
  LOG_VERSION,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  segmentName,
  sequenceFromFileName,
} from "./segment-format.js";
import { type Frame, SegmentReader } from "./segment-reader.js";

/** Maximum size of a segment whose creation was interrupted. */
const MAX_INCOMPLETE_BYTES = 2 ** 20;

/** Failing disk, or not a regular file. */
const UNREADABLE = new Set(["EIO", "EISDIR", "ELOOP"]);

export interface Segment {
  readonly name: string;
  readonly firstSn: number;
}

/** The log contains corruption that is not a torn write. */
export class LogCorruptionError extends SvcError {
  /**
   * @param segment file name
   * @param offset first unusable byte
   */
  constructor(
    readonly segment: string,
    readonly offset: number,
    readonly reason: string,
  ) {
    super("SVC2500", `log is corrupt: ${segment}, byte ${offset}: ${reason}`);
  }
}

/** End of a log. */
export interface LogEnd {
  readonly logId: string;
  readonly epoch: number;
  /** Sequence number of the next transaction. */
  readonly nextSn: number;
  readonly chain: number;
  /** Segment open for writing, and its length. */
  readonly last: Segment;
  readonly offset: number;
  /** Torn bytes after the end. */
  readonly tornBytes: number;
}

/** Receives each frame, tables included. The frame is valid until the visitor returns. */
export type FrameVisitor = (frame: Frame, segment: Segment) => void;

/** Returns the segments of a folder in order. */
export function listSegments(disk: Disk, folder: string): Segment[] {
  const segments: Segment[] = [];
  for (const name of disk.names(folder)) {
    const firstSn = sequenceFromFileName(name);
    if (firstSn !== null) segments.push({ name, firstSn });
  }
  return segments.sort((a, b) => a.firstSn - b.firstSn);
}

/**
 * Reads a whole log.
 * @returns its end; null if there is none
 * @throws LogCorruptionError
 */
export function readLog(disk: Disk, folder: string, visit: FrameVisitor): LogEnd | null {
  const segments = listSegments(disk, folder);
  let end: LogEnd | null = null;
  segments.forEach((segment, index) => {
    const next = segments[index + 1]?.firstSn ?? null;
    let reader: SegmentReader | null = null;
    try {
      reader = new SegmentReader(disk.open(join(folder, segment.name), "read"));
      end = readSegment(reader, segment, end, next, visit);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (!UNREADABLE.has(code)) throw error;
      const reason = `it cannot be read: ${(error as Error).message}`;
      throw new LogCorruptionError(segment.name, reader?.position ?? 0, reason);
    } finally {
      reader?.close();
    }
  });
  return end;
}

/** @param endSn first transaction of the next segment; null: there is none */
function readSegment(
  reader: SegmentReader,
  segment: Segment,
  before: LogEnd | null,
  endSn: number | null,
  visit: FrameVisitor,
): LogEnd | null {
  const isLast = endSn === null;
  const header = readHeader(reader, segment, before, isLast);
  if (header === null) return excludeSegment(before, segment, reader.size);
  let { epoch, chain, firstSn: nextSn } = header;
  let offset = SEGMENT_HEADER_BYTES;
  for (;;) {
    if (nextSn === endSn) break;
    const isTable = offset === SEGMENT_HEADER_BYTES;
    const frame = reader.frameAt(offset);
    if (frame === null) break;
    const reason = findSequenceError(frame.header, { isTable, chain, nextSn, epoch });
    if (reason !== null) throw new LogCorruptionError(segment.name, offset, reason);
    visitChecked(visit, frame, segment);
    offset += frame.bytes.length;
    if (isTable) continue;
    nextSn += frame.header.transactions;
    chain = frame.header.headerCrc;
    epoch = frame.header.epoch;
  }
  // The log of a running instance has grown since its size was read.
  const tornBytes = Math.max(0, reader.size - offset);
  if (tornBytes > 0 && nextSn !== endSn) {
    if (!isLast) throw new LogCorruptionError(segment.name, offset, "corrupt frame");
    const isTable = offset === SEGMENT_HEADER_BYTES;
    const evidence = findLaterFrame(reader, offset, { isTable, chain, nextSn, epoch });
    if (evidence !== null)
      throw new LogCorruptionError(segment.name, offset, `corrupt frame, ${evidence}`);
  }
  if (offset === SEGMENT_HEADER_BYTES) {
    if (isLast) return excludeSegment(before, segment, reader.size);
    throw new LogCorruptionError(segment.name, offset, "its table is missing");
  }
  return { logId: header.logId, epoch, nextSn, chain, last: segment, offset, tornBytes };
}

/** Reports invalid content of an intact frame as corruption of the segment. */
function visitChecked(visit: FrameVisitor, frame: Frame, segment: Segment): void {
  try {
    visit(frame, segment);
  } catch (error) {
    if (!(error instanceof DataError || error instanceof SyntaxError)) throw error;
    throw new LogCorruptionError(segment.name, frame.offset, error.message);
  }
}

/** Returns the end of a log whose last segment is incomplete: its creation was interrupted. */
function excludeSegment(before: LogEnd | null, segment: Segment, tornBytes: number): LogEnd | null {
  return before === null ? null : { ...before, last: segment, offset: 0, tornBytes };
}

/** Returns the header of a segment; null: the creation of the last segment was interrupted. */
function readHeader(
  reader: SegmentReader,
  segment: Segment,
  before: LogEnd | null,
  isLast: boolean,
): SegmentHeader | null {
  const header = reader.header();
  if (typeof header === "number") {
    const reason = explainLaterFormat(header, LOG_VERSION);
    if (reason !== null) throw new SvcError("SVC2506", `${segment.name}: ${reason}`);
    throw new LogCorruptionError(segment.name, 0, `format version ${header} is not supported`);
  }
  if (header === null) {
    const hasFrames = reader.size > MAX_INCOMPLETE_BYTES || reader.search(0) !== -1;
    if (isLast && !hasFrames && (before !== null || segment.firstSn === 1)) return null;
    throw new LogCorruptionError(segment.name, 0, "corrupt header");
  }
  if (header.firstSn !== segment.firstSn) {
    throw new LogCorruptionError(segment.name, 0, `it is segment ${segmentName(header.firstSn)}`);
  }
  if (before === null) return header;
  if (header.logId !== before.logId)
    throw new LogCorruptionError(segment.name, 0, "segment belongs to another log");
  if (header.firstSn !== before.nextSn || header.chain !== before.chain) {
    throw new LogCorruptionError(segment.name, 0, "preceding segment is missing");
  }
  return header;
}

/** Properties of the next frame, according to the preceding ones. */
interface Expected {
  readonly isTable: boolean;
  readonly chain: number;
  readonly nextSn: number;
  readonly epoch: number;
}

/** Returns why an intact frame cannot follow the preceding ones, or null. */
function findSequenceError(header: FrameHeader, expected: Expected): string | null {
  if (header.isTable !== expected.isTable) {
    return expected.isTable ? "its table is missing" : "unexpected table";
  }
  if (header.isTable) return null;
  if (header.sn !== expected.nextSn || header.chain !== expected.chain) {
    return "frame missing or out of sequence";
  }
  return header.epoch < expected.epoch ? "frame from an earlier epoch" : null;
}

/**
 * Returns evidence that further frames follow a corrupt one, or null. Without them it is a torn
 * write. If the header is intact, the search starts after the frame, because its payload may
 * contain bytes that look like a frame.
 */
function findLaterFrame(reader: SegmentReader, offset: number, expected: Expected): string | null {
  const header = reader.frameHeaderAt(offset);
  if (header !== null && findSequenceError(header, expected) === null) {
    const end = offset + FRAME_HEADER_BYTES + header.bytes;
    return end < reader.size ? `followed by more data at byte ${end}` : null;
  }
  const next = reader.search(offset, expected.nextSn);
  return next === -1 ? null : `followed by an intact one at byte ${next}`;
}
