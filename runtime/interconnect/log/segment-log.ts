// A log in segment files: units go in at the end, whole frames at a time, and come out in order
// from any position. One thread writes; whoever else reads sees what was flushed.
//
//   append(frame) ... flush()  the frame is safe; one frame between two flushes
//   read(sn)                   frames from the one on that holds a unit
//   truncateHead(sn)           removes segments that hold nothing from there on
//
// After an error nothing more is written: what a file system says after that cannot be trusted.

import { join } from "node:path";
import { DataError } from "../../graph/model/errors.js";
import type { Disk, DiskFile } from "./disk.js";
import { newLogId } from "./log-id.js";
import {
  encodeSegmentHeader,
  FRAME_HEADER_BYTES,
  putFrameHeader,
  SEGMENT_HEADER_BYTES,
  segmentName,
} from "./segment-format.js";
import { type Frame, SegmentReader } from "./segment-reader.js";
import { type FrameVisitor, type LogEnd, listSegments, readLog, type Segment } from "./segments.js";
import type { TxLog } from "./tx-log.js";

const SEGMENT_BYTES = 2 ** 26;

export interface SegmentLogOptions {
  /** A new segment is begun at so many bytes. */
  readonly segmentBytes?: number;
  /** What stands at the beginning of each segment, in bytes that are a multiple of 4. */
  readonly table: () => Buffer;
}

export class SegmentLog implements TxLog {
  readonly folder: string;
  readonly #disk: Disk;
  readonly #options: SegmentLogOptions;
  readonly #segments: Segment[];
  readonly logId: string;
  #file: DiskFile | null;
  #offset: number;
  #nextSn: number;
  #chain: number;
  #epoch: number;
  #safe: number;
  #hasFailed = false;

  private constructor(disk: Disk, folder: string, end: LogEnd | null, options: SegmentLogOptions) {
    this.folder = folder;
    this.#disk = disk;
    this.#options = options;
    this.#segments = listSegments(disk, folder);
    this.logId = end?.logId ?? newLogId();
    this.#offset = end?.offset ?? 0;
    this.#nextSn = end?.nextSn ?? 1;
    this.#chain = end?.chain ?? 0;
    this.#epoch = end?.epoch ?? 1;
    this.#file = this.#openLast(end);
    this.#safe = this.last;
  }

  /**
   * Opens the log of a folder, which is empty where there is none; what an interrupted write has
   * left at its end is cut off.
   * @param visit gets all that it holds, in order
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

  /** Number of the first unit that is still there. */
  get first(): number {
    return this.#segments[0]?.firstSn ?? this.#nextSn;
  }

  /** Number of the last unit; 0: there was none. */
  get last(): number {
    return this.#nextSn - 1;
  }

  /** Number of the last unit that was flushed. */
  get safe(): number {
    return this.#safe;
  }

  /** The last word of the last frame. */
  get chain(): number {
    return this.#chain;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** Frames have a higher epoch from now on. */
  set epoch(epoch: number) {
    this.#epoch = epoch;
  }

  /** By number; the last one is written to. */
  get segments(): readonly Segment[] {
    return this.#segments;
  }

  /**
   * Writes a frame, which is not safe before `flush`.
   * @param frame units, behind room for a frame's header
   * @returns number of the first one
   */
  append(frame: Buffer, units: number): number {
    this.#checkUsable();
    const sn = this.#nextSn;
    try {
      const end = this.#offset + frame.length;
      if (this.#file === null || end > (this.#options.segmentBytes ?? SEGMENT_BYTES)) this.#roll();
      const header = { isTable: false, chain: this.#chain, sn, units, epoch: this.#epoch };
      const chain = putFrameHeader(frame, header);
      this.#file!.write(frame, this.#offset);
      this.#offset += frame.length;
      this.#chain = chain;
      this.#nextSn += units;
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
    return sn;
  }

  /** Resolves when all that was appended is safe. */
  async flush(): Promise<void> {
    this.#checkUsable();
    const { last } = this;
    try {
      await this.#file?.flush();
      this.#safe = Math.max(this.#safe, last);
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }

  flushNow(): void {
    this.#checkUsable();
    try {
      this.#file?.flushNow();
      this.#safe = this.last;
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }

  /**
   * Frames from the one on that holds a unit, as far as the log reaches when it is called. A frame
   * is good until the next one is asked for.
   * @throws DataError the unit is not there any more, or not yet
   */
  *read(sn: number): Generator<Frame, void, void> {
    if (sn < this.first || sn > this.#nextSn) {
      throw new DataError(`the log reaches from ${this.first} to ${this.last}, not to ${sn}`);
    }
    const end = this.#nextSn;
    const from = this.#segments.findLastIndex(({ firstSn }) => firstSn <= sn);
    for (const { name, firstSn } of this.#segments.slice(Math.max(0, from))) {
      if (firstSn >= end) return;
      const reader = new SegmentReader(this.#disk.open(join(this.folder, name), "read"));
      try {
        yield* framesOf(reader, sn, end);
      } finally {
        reader.close();
      }
    }
  }

  /** The last word of the frame before a segment. @throws DataError */
  chainBefore(firstSn: number): number {
    const file = this.#disk.open(join(this.folder, segmentName(firstSn)), "read");
    const reader = new SegmentReader(file);
    try {
      const header = reader.header();
      if (header !== null && typeof header !== "number") return header.chain;
      throw new DataError(`the segment of the log from ${firstSn} on cannot be read`);
    } finally {
      reader.close();
    }
  }

  /** Removes the segments that hold units before a number only; the last segment stays. */
  truncateHead(sn: number): void {
    let isChanged = false;
    while (this.#segments.length > 1 && this.#segments[1]!.firstSn <= sn) {
      this.#disk.remove(join(this.folder, this.#segments.shift()!.name));
      isChanged = true;
    }
    if (isChanged) this.#disk.flushFolder(this.folder);
  }

  /** Bytes on the disk; segments before the last one count as full. */
  get bytes(): number {
    const full = Math.max(0, this.#segments.length - 1);
    return full * (this.#options.segmentBytes ?? SEGMENT_BYTES) + this.#offset;
  }

  close(): void {
    this.#file?.close();
    this.#file = null;
    this.#hasFailed = true;
  }

  #checkUsable(): void {
    if (this.#hasFailed) throw new DataError("the log has failed, and takes nothing more");
  }

  #openLast(end: LogEnd | null): DiskFile | null {
    if (end === null || end.last === null) return null;
    const path = join(this.folder, end.last.name);
    // Not even its table was safe: it is made again.
    if (end.offset === 0) {
      this.#disk.remove(path);
      this.#segments.pop();
      return null;
    }
    const file = this.#disk.open(path, "write");
    if (end.tornBytes > 0) file.truncate(end.offset);
    // A thread that died may have written what it did not flush.
    file.flushNow();
    return file;
  }

  /** Begins a segment; all before it is safe. */
  #roll(): void {
    this.#file?.close();
    this.#file = null;
    const segment = { name: segmentName(this.#nextSn), firstSn: this.#nextSn };
    this.#disk.makeFolder(this.folder);
    const file = this.#disk.create(join(this.folder, segment.name));
    const epoch = this.#epoch;
    const head = { epoch, logId: this.logId, firstSn: this.#nextSn, chain: this.#chain };
    const table = Buffer.concat([Buffer.alloc(FRAME_HEADER_BYTES), this.#options.table()]);
    putFrameHeader(table, { isTable: true, chain: 0, sn: this.#nextSn, units: 0, epoch });
    file.write(Buffer.concat([encodeSegmentHeader(head), table]), 0);
    file.flushNow();
    this.#disk.flushFolder(this.folder);
    this.#file = file;
    this.#offset = SEGMENT_HEADER_BYTES + table.length;
    if (this.#segments.at(-1)?.firstSn === segment.firstSn) this.#segments.pop();
    this.#segments.push(segment);
  }
}

/** Frames that hold a unit from `sn` on and begin before `end`. */
function* framesOf(reader: SegmentReader, sn: number, end: number): Generator<Frame, void, void> {
  for (let offset = SEGMENT_HEADER_BYTES; ; ) {
    const frame = reader.frameAt(offset);
    if (frame === null) return;
    offset += frame.bytes.length;
    if (frame.header.isTable || frame.header.sn + frame.header.units <= sn) continue;
    if (frame.header.sn >= end) return;
    yield frame;
  }
}
