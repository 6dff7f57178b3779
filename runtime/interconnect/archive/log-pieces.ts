// Reads the transactions of a log after a position, as pieces of its segment files. Another process
// may be writing the log, so incomplete frames are ignored, and each frame must continue the
// preceding one.

import { join } from "node:path";
import { LOG_FOLDER } from "../../base/graph-names.js";
import {
  operationCountAfter,
  operationCountBefore,
  TRANSACTION_HEAD_WORDS,
} from "../../graph/log/transaction-format.js";
import type { Disk } from "../log/disk.js";
import {
  FRAME_HEADER_BYTES,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  segmentName,
} from "../log/segment-format.js";
import { type Frame, SegmentReader } from "../log/segment-reader.js";
import { listSegments, type Segment } from "../log/segments.js";
import { forEachTransaction } from "../log/transactions.js";
import type { LogPoint } from "./manifest.js";

/** Approximate size of a piece, small enough for several copies in memory. */
const PIECE_BYTES = 2 ** 23;

/** End of the part that was read: a position in the log and in its files. */
export interface LogTail extends LogPoint {
  readonly firstSn: number;
  readonly offset: number;
}

export interface LogPiece {
  readonly path: string;
  readonly at: number;
  readonly content: Buffer;
  readonly tail: LogTail;
  /** False if the log lacks changes of a graph, such as a snapshot received from a provider. */
  readonly isComplete: boolean;
}

/** The log does not continue the position: segments were removed, or it is another log. */
export class LogGapError extends Error {}

export class LogPieces {
  readonly #disk: Disk;
  readonly #folder: string;
  /** False while the position may belong to an earlier data folder at the same path. */
  #isVerified = false;
  /** Operation counts after the last transaction that was read, by graph number. */
  readonly #counts = new Map<number, number>();

  /** @param root data folder */
  constructor(disk: Disk, root: string) {
    this.#disk = disk;
    this.#folder = join(root, LOG_FOLDER);
  }

  segments(): Segment[] {
    return listSegments(this.#disk, this.#folder);
  }

  /**
   * Yields everything after a position, up to the last durable transaction.
   * @param tail null: from the first segment
   * @throws LogGapError
   */
  *read(tail: LogTail | null, safe: number): Generator<LogPiece, void, void> {
    const segments = this.segments();
    const first = segments.findIndex(({ firstSn }) => firstSn === tail?.firstSn);
    if (first < 0 && tail !== null) throw new LogGapError("its segment was removed");
    let reached = tail;
    const unread = segments.slice(Math.max(0, first));
    for (const [index, { firstSn }] of unread.entries()) {
      const isNext = reached === null || firstSn === reached.firstSn || firstSn === reached.sn + 1;
      if (!isNext) return;
      const last = Math.min(safe, (unread[index + 1]?.firstSn ?? safe + 1) - 1);
      for (const piece of this.#readSegment(firstSn, reached, last)) {
        yield piece;
        reached = piece.tail;
      }
    }
  }

  *#readSegment(
    firstSn: number,
    tail: LogTail | null,
    last: number,
  ): Generator<LogPiece, void, void> {
    const name = segmentName(firstSn);
    const reader = this.#open(name);
    try {
      const start = readStart(reader, firstSn, tail);
      if (tail?.firstSn === firstSn && !this.#isVerified) requireTail(reader, tail);
      this.#isVerified = true;
      if (start === null) return;
      let { next, chunks } = start;
      let isComplete = true;
      let at = next.offset - chunks.reduce((sum, { length }) => sum + length, 0);
      const piece = (): LogPiece => {
        const content = Buffer.concat(chunks);
        return { path: `${LOG_FOLDER}/${name}`, at, content, tail: next, isComplete };
      };
      for (;;) {
        const frame = reader.frameAt(next.offset);
        if (frame === null || frame.header.sn + frame.header.transactions - 1 > last) break;
        next = follow(next, frame);
        isComplete = this.#followCounts(frame) && isComplete;
        chunks.push(Buffer.from(frame.bytes));
        if (next.offset - at < PIECE_BYTES) continue;
        yield piece();
        at = next.offset;
        chunks = [];
      }
      if (chunks.length > 0) yield piece();
    } finally {
      reader.close();
    }
  }

  /** Returns false if operations are missing before a transaction of the frame. */
  #followCounts(frame: Frame): boolean {
    let isComplete = true;
    const transaction = (words: Uint32Array, at: number, graph: number): void => {
      const count = this.#counts.get(graph);
      if (count !== undefined && operationCountBefore(words, at) > count) isComplete = false;
      this.#counts.set(graph, operationCountAfter(words, at));
    };
    forEachTransaction(frame, { transaction, control: () => undefined });
    return isComplete;
  }

  #open(name: string): SegmentReader {
    try {
      return new SegmentReader(this.#disk.open(join(this.#folder, name), "read"));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      throw new LogGapError("a segment was removed", { cause: error });
    }
  }
}

interface SegmentStart {
  readonly next: LogTail;
  /** Header and table, if the segment has not been read before. */
  readonly chunks: Buffer[];
}

/** Returns null while the head of the segment is incomplete. @throws LogGapError */
function readStart(
  reader: SegmentReader,
  firstSn: number,
  tail: LogTail | null,
): SegmentStart | null {
  const header = reader.header();
  if (header === null || typeof header === "number") {
    if (tail?.firstSn === firstSn) throw new LogGapError("its segment was replaced");
    return null;
  }
  if (tail !== null && header.logId !== tail.id) throw new LogGapError("it is another log");
  if (tail?.firstSn === firstSn) {
    if (reader.size < tail.offset) throw new LogGapError("it is shorter");
    return { next: tail, chunks: [] };
  }
  const isNext = tail === null || header.chain === tail.chain;
  if (header.firstSn !== firstSn || !isNext) throw new LogGapError("a segment is missing");
  const head = Buffer.from(reader.headerBytes());
  const table = reader.frameAt(head.length);
  if (table === null || !table.header.isTable) return null;
  const chunks = [head, Buffer.from(table.bytes)];
  const { logId: id, chain } = header;
  const offset = head.length + table.bytes.length;
  return { next: { id, sn: firstSn - 1, chain, at: tail?.at ?? 0, firstSn, offset }, chunks };
}

/** @throws LogGapError if no frame of the segment ends at the position */
function requireTail(reader: SegmentReader, tail: LogTail): void {
  let { chain } = reader.header() as SegmentHeader;
  let offset = SEGMENT_HEADER_BYTES;
  while (offset < tail.offset) {
    const header = reader.frameHeaderAt(offset);
    if (header === null) break;
    if (!header.isTable) chain = header.headerCrc;
    offset += FRAME_HEADER_BYTES + header.bytes;
  }
  if (offset !== tail.offset || chain !== tail.chain) throw new LogGapError("it has another end");
}

/** @throws LogGapError */
function follow(tail: LogTail, frame: Frame): LogTail {
  const { sn, transactions, chain, headerCrc } = frame.header;
  if (sn !== tail.sn + 1 || chain !== tail.chain) throw new LogGapError("it has another history");
  const last = { sn: sn + transactions - 1, chain: headerCrc };
  return {
    ...tail,
    ...last,
    at: lastSecond(frame, tail.at),
    offset: tail.offset + frame.bytes.length,
  };
}

/** Returns the second of the last transaction of a frame; control records have none. */
function lastSecond(frame: Frame, before: number): number {
  let at = before;
  forEachTransaction(frame, {
    transaction: (words, from) => {
      at = readSecond(words, from);
    },
    control: () => undefined,
  });
  return at;
}

/** Returns the second of a transaction: that of its first record. */
export function readSecond(words: Uint32Array, at: number): number {
  return words[at + TRANSACTION_HEAD_WORDS + 1]!;
}
