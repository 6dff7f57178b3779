// Transaction log in segment files: frames are appended, and read in order from any position. One
// thread writes; readers see flushed frames.
//
//   append(frame), flush()     makes the frame durable; at most one frame between two flushes
//   read(sn)                   frames from the one that contains a transaction
//   truncateHead(sn)           removes segments that end before it
//
// After a write error the log rejects further frames, because the content of the file is unknown.
// The exception is a full disk: the same frame can be appended again later.
//
//   reopen()                   continues after the last durable frame, in another file

import { join } from "node:path";
import { assert } from "../../base/assert.js";
import { DataError } from "../../graph/model/errors.js";
import type { Disk, DiskFile } from "./disk.js";
import {
  encodeSegmentHeader,
  FRAME_HEADER_BYTES,
  MAX_TRANSACTIONS,
  newLogId,
  putFrameHeader,
  SEGMENT_HEADER_BYTES,
  segmentName,
} from "./segment-format.js";
import { type Frame, SegmentReader } from "./segment-reader.js";
import { type FrameVisitor, type LogEnd, listSegments, readLog, type Segment } from "./segments.js";
import { isOutOfSpace } from "./space-reserve.js";

const SEGMENT_BYTES = 2 ** 26;

/** Position of the next frame. */
interface End {
  readonly offset: number;
  readonly nextSn: number;
  readonly chain: number;
}

export interface SegmentLogOptions {
  /** Maximum size of a segment: a frame that does not fit starts the next one. */
  readonly segmentBytes?: number;
  /** Returns the table at the head of each segment; its length is a multiple of 4. */
  readonly table: () => Buffer;
}

export class SegmentLog {
  readonly folder: string;
  readonly #disk: Disk;
  readonly #segmentBytes: number;
  readonly #table: SegmentLogOptions["table"];
  readonly #segments: Segment[];
  readonly logId: string;
  #file: DiskFile | null;
  #offset: number;
  #nextSn: number;
  #chain: number;
  #epoch: number;
  #durableEnd: End;
  #hasFailed = false;
  #isClosed = false;

  private constructor(disk: Disk, folder: string, end: LogEnd | null, options: SegmentLogOptions) {
    this.folder = folder;
    this.#disk = disk;
    this.#segmentBytes = options.segmentBytes ?? SEGMENT_BYTES;
    this.#table = options.table;
    this.#segments = listSegments(disk, folder);
    this.logId = end?.logId ?? newLogId();
    this.#offset = end?.offset ?? 0;
    this.#nextSn = end?.nextSn ?? 1;
    this.#chain = end?.chain ?? 0;
    this.#epoch = end?.epoch ?? 1;
    this.#file = this.#openLast(end);
    this.#durableEnd = this.#end;
  }

  /**
   * Opens the log of a folder, empty if missing; discards a torn write at its end.
   * @param visit receives all frames in order
   * @throws LogCorruptionError
   */
  static open(
    disk: Disk,
    folder: string,
    options: SegmentLogOptions,
    visit: FrameVisitor,
  ): { log: SegmentLog; tornBytes: number } {
    const end = readLog(disk, folder, visit);
    return { log: new SegmentLog(disk, folder, end, options), tornBytes: end?.tornBytes ?? 0 };
  }

  /** Sequence number of the first retained transaction. */
  get first(): number {
    return this.#segments[0]?.firstSn ?? this.#nextSn;
  }

  /** Sequence number of the last transaction; 0: none. */
  get last(): number {
    return this.#nextSn - 1;
  }

  /** Sequence number of the last durable transaction. */
  get durableSn(): number {
    return this.#durableEnd.nextSn - 1;
  }

  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** `headerCrc` of the last frame. */
  get chain(): number {
    return this.#chain;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** Raises the epoch of the following frames. */
  set epoch(epoch: number) {
    assert(epoch >= this.#epoch, "epochs of a log only grow");
    this.#epoch = epoch;
  }

  /** In order; the last one is open for writing. */
  get segments(): readonly Segment[] {
    return this.#segments;
  }

  /** Returns the first transaction of the segments that hold the last `bytes`, rounded up. */
  findFirstSnOfLast(bytes: number): number {
    const full = Math.ceil(bytes / this.#segmentBytes);
    const oldest = this.#segments[Math.max(0, this.#segments.length - 1 - full)];
    return full === 0 || oldest === undefined ? this.#nextSn : oldest.firstSn;
  }

  /** Returns the segment that contains a written transaction; undefined if it was removed. */
  segmentOf(sn: number): Segment | undefined {
    return this.#segments.findLast(({ firstSn }) => firstSn <= sn);
  }

  /**
   * Writes a frame, which becomes durable with `flush`.
   * @param frame transactions, after space for a frame header
   * @returns sequence number of the first transaction
   * @throws an error for which `isOutOfSpace` is true if the frame can be appended later
   */
  append(frame: Buffer, transactions: number): number {
    this.#checkUsable();
    assert(frame.length > FRAME_HEADER_BYTES && frame.length % 4 === 0, "frames are whole words");
    assert(
      transactions > 0 && transactions <= MAX_TRANSACTIONS,
      "a frame has 1 to 65,535 transactions",
    );
    const sn = this.#nextSn;
    try {
      const end = this.#offset + frame.length;
      if (this.#file === null || end > this.#segmentBytes) this.#startSegment();
      const header = { isTable: false, chain: this.#chain, sn, transactions, epoch: this.#epoch };
      const chain = putFrameHeader(frame, header);
      this.#file!.write(frame, this.#offset);
      this.#offset += frame.length;
      this.#chain = chain;
      this.#nextSn += transactions;
    } catch (error) {
      this.#hasFailed = !isOutOfSpace(error) || !this.#discardPartialFrame();
      throw error;
    }
    return sn;
  }

  /** Discards the written part of a frame; returns false if that fails. */
  #discardPartialFrame(): boolean {
    try {
      this.#file?.truncate(this.#offset);
      return true;
    } catch {
      return false;
    }
  }

  /** Resolves when all appended frames are durable. */
  async flush(): Promise<void> {
    this.#checkUsable();
    const end = this.#end;
    const file = this.#file;
    try {
      await file?.flush();
      // Otherwise `reopen` has replaced the file meanwhile.
      if (file === this.#file && end.nextSn > this.#durableEnd.nextSn) this.#durableEnd = end;
    } catch (error) {
      if (file === this.#file) this.#hasFailed = true;
      throw error;
    }
  }

  flushNow(): void {
    this.#checkUsable();
    try {
      this.#file?.flushNow();
      this.#durableEnd = this.#end;
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }

  /**
   * Continues in another file after a failure. The caller must append the frame that is not durable
   * again, if there is one.
   */
  reopen(): void {
    assert(this.#hasFailed && !this.#isClosed, "only a failed log is reopened");
    this.#abandonFile();
    this.#nextSn = this.#durableEnd.nextSn;
    this.#chain = this.#durableEnd.chain;
    this.#startSegment();
    this.#hasFailed = false;
  }

  /**
   * Verifies the frames from a sequence number on by reading them back.
   * @throws DataError if one is not intact
   */
  readBack(sn: number): void {
    let next = sn;
    for (const { header } of this.read(sn)) next = header.sn + header.transactions;
    if (next === this.#nextSn) return;
    throw new DataError(`transaction ${next} of the log cannot be read back`);
  }

  /**
   * Yields the frames from the one that contains a transaction, up to the end at the time of the
   * call. A frame is valid until the next one is read.
   * @throws DataError if the transaction is not retained or not written yet
   */
  *read(sn: number): Generator<Frame, void, void> {
    if (sn < this.first || sn > this.#nextSn) {
      throw new DataError(`the log reaches from ${this.first} to ${this.last}, not to ${sn}`);
    }
    const end = this.#nextSn;
    const from = this.#segments.findLastIndex(({ firstSn }) => firstSn <= sn);
    const segments = this.#segments.slice(from);
    for (const [index, { name }] of segments.entries()) {
      const reader = new SegmentReader(this.#disk.open(join(this.folder, name), "read"));
      try {
        yield* readFrames(reader, sn, Math.min(end, segments[index + 1]?.firstSn ?? end));
      } finally {
        reader.close();
      }
    }
  }

  /** Returns `headerCrc` of the frame before a segment. @throws DataError */
  chainBefore(firstSn: number): number {
    const file = this.#disk.open(join(this.folder, segmentName(firstSn)), "read");
    const reader = new SegmentReader(file);
    try {
      const header = reader.header();
      if (header !== null && typeof header !== "number") return header.chain;
      throw new DataError(`log segment ${segmentName(firstSn)} cannot be read`);
    } finally {
      reader.close();
    }
  }

  /** Removes the segments that end before a sequence number, except the last one. */
  truncateHead(sn: number): void {
    let isChanged = false;
    while (this.#segments.length > 1 && this.#segments[1]!.firstSn <= sn) {
      this.#disk.remove(join(this.folder, this.#segments.shift()!.name));
      isChanged = true;
    }
    if (isChanged) this.#disk.flushFolder(this.folder);
  }

  /** Bytes on disk; all segments but the last count as full. */
  get bytes(): number {
    const full = Math.max(0, this.#segments.length - 1);
    return full * this.#segmentBytes + this.#offset;
  }

  close(): void {
    this.#file?.close();
    this.#file = null;
    this.#hasFailed = true;
    this.#isClosed = true;
  }

  get #end(): End {
    return { offset: this.#offset, nextSn: this.#nextSn, chain: this.#chain };
  }

  /** Closes the last file, and removes its frames that are not durable. */
  #abandonFile(): void {
    const last = this.#segments.at(-1);
    const path = last === undefined ? null : join(this.folder, last.name);
    try {
      this.#file?.close();
    } catch {
      // The frames that are not durable are written again anyway.
    }
    this.#file = null;
    if (path === null) return;
    if (last!.firstSn === this.#durableEnd.nextSn) {
      if (this.#disk.names(this.folder).includes(last!.name)) this.#disk.remove(path);
      return;
    }
    try {
      const file = this.#disk.open(path, "write");
      file.truncate(this.#durableEnd.offset);
      file.close();
    } catch {
      // Readers ignore frames whose transactions are in the next segment.
    }
  }

  #checkUsable(): void {
    if (this.#hasFailed) throw new DataError("transaction log has failed and accepts no changes");
  }

  #openLast(end: LogEnd | null): DiskFile | null {
    if (end === null) return null;
    const path = join(this.folder, end.last.name);
    // The creation of the last segment was interrupted: the next append creates it again.
    if (end.offset === 0) {
      this.#disk.remove(path);
      this.#segments.pop();
      return null;
    }
    const file = this.#disk.open(path, "write");
    if (end.tornBytes > 0) file.truncate(end.offset);
    // A log thread that died may have left unflushed writes.
    file.flushNow();
    return file;
  }

  /** Starts a segment. The frames before it must be durable. */
  #startSegment(): void {
    this.#file?.close();
    this.#file = null;
    const segment = { name: segmentName(this.#nextSn), firstSn: this.#nextSn };
    this.#disk.makeFolder(this.folder);
    const file = this.#disk.create(join(this.folder, segment.name));
    const epoch = this.#epoch;
    const head = { epoch, logId: this.logId, firstSn: this.#nextSn, chain: this.#chain };
    const table = Buffer.concat([Buffer.alloc(FRAME_HEADER_BYTES), this.#table()]);
    putFrameHeader(table, { isTable: true, chain: 0, sn: this.#nextSn, transactions: 0, epoch });
    try {
      file.write(Buffer.concat([encodeSegmentHeader(head), table]), 0);
      file.flushNow();
      this.#disk.flushFolder(this.folder);
    } catch (error) {
      file.close();
      throw error;
    }
    this.#file = file;
    this.#offset = SEGMENT_HEADER_BYTES + table.length;
    if (this.#segments.at(-1)?.firstSn === segment.firstSn) this.#segments.pop();
    this.#segments.push(segment);
  }
}

/** Yields frames that end at `sn` or later and begin before `end`. */
function* readFrames(reader: SegmentReader, sn: number, end: number): Generator<Frame, void, void> {
  let next: number | null = null;
  for (let offset = SEGMENT_HEADER_BYTES; ; ) {
    const frame = reader.frameAt(offset);
    if (frame === null) return;
    offset += frame.bytes.length;
    const { isTable, sn: first, transactions } = frame.header;
    if (isTable || first + transactions <= sn) continue;
    if (first >= end) return;
    assert(next === null || first === next, "frames of a segment follow each other");
    next = first + transactions;
    yield frame;
  }
}
