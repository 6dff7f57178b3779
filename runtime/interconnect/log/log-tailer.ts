// Reads a log while it is being written: frames from a sequence number on, up to the last flush.

import { join } from "node:path";
import { assert } from "../../base/assert.js";
import { PositionExpiredError } from "../../graph/model/errors.js";
import type { Disk } from "./disk.js";
import { SEGMENT_HEADER_BYTES } from "./segment-format.js";
import { type Frame, SegmentReader } from "./segment-reader.js";
import type { Segment } from "./segments.js";

/** A log to read. Its writer may run in this thread or in another one. */
export interface TailedLog {
  readonly folder: string;
  /** Sequence number of the last durable transaction. */
  readonly durableSn: number;
  /** Returns the segment that contains a durable transaction; undefined if it was removed. */
  segmentOf(sn: number): Segment | undefined;
}

export interface TailerOptions {
  /** Initial size of the read buffer. */
  readonly windowBytes?: number;
  /** Receives the graph table of each segment. */
  readonly onTable?: (frame: Frame) => void;
}

export class LogTailer {
  readonly #disk: Disk;
  readonly #log: TailedLog;
  readonly #options: TailerOptions;
  #sn: number;
  #reader: SegmentReader | null = null;
  #segment: Segment | null = null;
  #offset = 0;

  /** @param sn a retained transaction, or the next one */
  constructor(disk: Disk, log: TailedLog, sn: number, options: TailerOptions = {}) {
    this.#disk = disk;
    this.#log = log;
    this.#sn = sn;
    this.#options = options;
  }

  /**
   * Returns the next frame, valid until the next call; null: none is durable yet.
   * @throws PositionExpiredError if its segment was removed
   */
  next(): Frame | null {
    while (this.#sn <= this.#log.durableSn) {
      const reader = this.#openSegment();
      const frame = reader.frameAt(this.#offset) ?? this.#readAgain(reader);
      if (frame === null) throw this.#unreadable();
      this.#offset += frame.bytes.length;
      const { isTable, sn, transactions } = frame.header;
      if (isTable) this.#options.onTable?.(frame);
      // A table has no transactions.
      if (sn + transactions <= this.#sn) continue;
      assert(sn <= this.#sn, "flushed frames have no gap");
      this.#sn = sn + transactions;
      return frame;
    }
    return null;
  }

  close(): void {
    this.#reader?.close();
    this.#reader = null;
  }

  /** Returns the reader of the segment that contains the next transaction. */
  #openSegment(): SegmentReader {
    const segment = this.#log.segmentOf(this.#sn);
    if (segment === undefined) throw expired(this.#sn);
    const isOpen = this.#segment?.firstSn === segment.firstSn;
    if (isOpen && this.#reader !== null) return this.#reader;
    this.#segment = segment;
    this.#offset = SEGMENT_HEADER_BYTES;
    this.close();
    const path = join(this.#log.folder, this.#segment!.name);
    try {
      this.#reader = new SegmentReader(this.#disk.open(path, "read"), this.#options.windowBytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") throw expired(this.#sn);
      throw error;
    }
    return this.#reader;
  }

  /** Returns the error for a missing frame: the segment was removed, or it is corrupt. */
  #unreadable(): Error {
    const isRetained = this.#disk.names(this.#log.folder).includes(this.#segment!.name);
    if (!isRetained) return expired(this.#sn);
    return new Error(`the log cannot be read at transaction ${this.#sn}`);
  }

  /** Retries without the read-ahead: another thread may have written the frame since. */
  #readAgain(reader: SegmentReader): Frame | null {
    reader.discardBuffer();
    return reader.frameAt(this.#offset);
  }
}

function expired(sn: number): PositionExpiredError {
  return new PositionExpiredError(`the log no longer contains transaction ${sn}`);
}
