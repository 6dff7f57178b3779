// The segments of a log folder, read from the first frame to the last and checked against each
// other. What an interrupted write can leave behind ends the last segment; anything else that is
// not as it was written is damage.

import { join } from "node:path";
import { DataError } from "../../graph/model/errors.js";
import type { Disk } from "./disk.js";
import { LogCorruptionError } from "./log-errors.js";
import {
  FRAME_HEADER_BYTES,
  type FrameHeader,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  segmentName,
  sequenceFromFileName,
} from "./segment-format.js";
import { type Frame, SegmentReader } from "./segment-reader.js";

/** A segment that was being made has at most so many bytes. */
const MAX_UNMADE_BYTES = 2 ** 20;

/** A failing disk, something that is no file. */
const UNREADABLE = new Set(["EIO", "EISDIR", "ELOOP"]);

export interface Segment {
  readonly name: string;
  readonly firstSn: number;
}

/** Where a log ends. */
export interface LogEnd {
  readonly logId: string;
  readonly epoch: number;
  /** Number of the next unit. */
  readonly nextSn: number;
  readonly chain: number;
  /** Segment that is written to, and its length; null: there is none. */
  readonly last: Segment | null;
  readonly offset: number;
  /** Bytes behind the end that an interrupted write has left. */
  readonly tornBytes: number;
}

/** Gets each frame, tables included; `words` are good until it returns. */
export type FrameVisitor = (frame: Frame, segment: Segment) => void;

/** The segments of a folder, by number. */
export function listSegments(disk: Disk, folder: string): Segment[] {
  const found: Segment[] = [];
  for (const name of disk.names(folder)) {
    const firstSn = sequenceFromFileName(name);
    if (firstSn !== null) found.push({ name, firstSn });
  }
  return found.sort((a, b) => a.firstSn - b.firstSn);
}

/**
 * Reads a whole log.
 * @returns where it ends; null where there is none
 * @throws LogCorruptionError
 */
export function readLog(disk: Disk, folder: string, visit: FrameVisitor): LogEnd | null {
  const segments = listSegments(disk, folder);
  let end: LogEnd | null = null;
  segments.forEach((segment, index) => {
    const isLast = index === segments.length - 1;
    let reader: SegmentReader | null = null;
    try {
      reader = new SegmentReader(disk.open(join(folder, segment.name), "read"));
      end = readSegment(reader, segment, end, isLast, visit);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (!UNREADABLE.has(code ?? "")) throw error;
      const reason = `it cannot be read: ${(error as Error).message}`;
      throw new LogCorruptionError(segment.name, reader?.position ?? 0, reason);
    } finally {
      reader?.close();
    }
  });
  return end;
}

function readSegment(
  reader: SegmentReader,
  segment: Segment,
  before: LogEnd | null,
  isLast: boolean,
  visit: FrameVisitor,
): LogEnd | null {
  const header = checkedHeader(reader, segment, before, isLast);
  if (header === null) return unmade(before, segment, reader.size);
  let { epoch, chain, firstSn: nextSn } = header;
  let offset = SEGMENT_HEADER_BYTES;
  for (;;) {
    const frame = reader.frameAt(offset);
    if (frame === null) break;
    const isTable = offset === SEGMENT_HEADER_BYTES;
    const reason = misfit(frame.header, { isTable, chain, nextSn, epoch });
    if (reason !== null) throw new LogCorruptionError(segment.name, offset, reason);
    visitChecked(visit, frame, segment);
    offset += frame.bytes.length;
    if (isTable) continue;
    nextSn += frame.header.units;
    chain = frame.header.headerCrc;
    epoch = frame.header.epoch;
  }
  const tornBytes = reader.size - offset;
  if (tornBytes > 0) {
    if (!isLast) throw new LogCorruptionError(segment.name, offset, "a frame is damaged");
    const isTable = offset === SEGMENT_HEADER_BYTES;
    const others = othersBehind(reader, offset, { isTable, chain, nextSn, epoch });
    if (others !== null)
      throw new LogCorruptionError(segment.name, offset, `a frame is damaged, ${others}`);
  }
  if (offset === SEGMENT_HEADER_BYTES) {
    if (isLast) return unmade(before, segment, reader.size);
    throw new LogCorruptionError(segment.name, offset, "its table is missing");
  }
  return { logId: header.logId, epoch, nextSn, chain, last: segment, offset, tornBytes };
}

/** What a frame says that is whole must make sense, too. */
function visitChecked(visit: FrameVisitor, frame: Frame, segment: Segment): void {
  try {
    visit(frame, segment);
  } catch (error) {
    if (!(error instanceof DataError || error instanceof SyntaxError)) throw error;
    throw new LogCorruptionError(segment.name, frame.offset, error.message);
  }
}

/** The log ends before a segment that was being made when all stopped. */
function unmade(before: LogEnd | null, segment: Segment, tornBytes: number): LogEnd | null {
  return before === null ? null : { ...before, last: segment, offset: 0, tornBytes };
}

/** The header of a segment; null: that of the last one was not completely written. */
function checkedHeader(
  reader: SegmentReader,
  segment: Segment,
  before: LogEnd | null,
  isLast: boolean,
): SegmentHeader | null {
  const header = reader.header();
  if (typeof header === "number") {
    throw new LogCorruptionError(
      segment.name,
      0,
      `it is of version ${header}, which this one cannot read`,
    );
  }
  if (header === null) {
    const isBegun = reader.size > MAX_UNMADE_BYTES || reader.search(0) >= 0;
    if (isLast && !isBegun && (before !== null || segment.firstSn === 1)) return null;
    throw new LogCorruptionError(segment.name, 0, "its header is damaged");
  }
  if (header.firstSn !== segment.firstSn) {
    throw new LogCorruptionError(segment.name, 0, `it is segment ${segmentName(header.firstSn)}`);
  }
  if (before === null) return header;
  if (header.logId !== before.logId)
    throw new LogCorruptionError(segment.name, 0, "it is of another log");
  if (header.firstSn !== before.nextSn || header.chain !== before.chain) {
    throw new LogCorruptionError(segment.name, 0, "what came before it is missing");
  }
  return header;
}

/** What the frames before one say of it. */
interface Expected {
  readonly isTable: boolean;
  readonly chain: number;
  readonly nextSn: number;
  readonly epoch: number;
}

/** Why a frame cannot stand there, though its header is whole; null: it can. */
function misfit(header: FrameHeader, expected: Expected): string | null {
  if (header.isTable !== expected.isTable) return "a table where a frame belongs, or none";
  if (header.isTable) return null;
  if (header.sn !== expected.nextSn || header.chain !== expected.chain) {
    return "a frame is missing, or was put here";
  }
  return header.epoch < expected.epoch ? "a frame of an earlier epoch" : null;
}

/**
 * What says that a damaged frame of the last segment was not the last one, null for nothing: one
 * frame is written between two flushes, and only the last one can be torn. Where it says itself how
 * far it reaches, nothing in it is taken for a frame: what clients store may look like one.
 */
function othersBehind(reader: SegmentReader, offset: number, expected: Expected): string | null {
  const header = reader.frameHeaderAt(offset);
  if (header !== null && misfit(header, expected) === null) {
    const end = offset + FRAME_HEADER_BYTES + header.bytes;
    return end < reader.size ? `at byte ${end} is another one` : null;
  }
  const next = reader.search(offset, expected.nextSn);
  return next < 0 ? null : `at byte ${next} is a whole one`;
}
