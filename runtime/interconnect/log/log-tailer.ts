// Reads a log while it is written: whole frames from a sequence number on, up to the last flush.

import { join } from "node:path";
import { assert } from "../../base/assert.js";
import type { Disk } from "./disk.js";
import { SEGMENT_HEADER_BYTES } from "./segment-format.js";
import type { SegmentLog } from "./segment-log.js";
import { type Frame, SegmentReader } from "./segment-reader.js";

export class LogTailer {
  readonly #disk: Disk;
  readonly #log: SegmentLog;
  #sn: number;
  #reader: SegmentReader | null = null;
  #segment = 0;
  #offset = 0;

  /** @param sn a retained transaction, or the next one */
  constructor(disk: Disk, log: SegmentLog, sn: number) {
    this.#disk = disk;
    this.#log = log;
    this.#sn = sn;
  }

  /** Returns the next frame, valid until the next call; null: none is durable yet. */
  next(): Frame | null {
    while (this.#sn <= this.#log.safe) {
      this.#open();
      const frame = this.#reader!.frameAt(this.#offset);
      if (frame === null) throw new Error(`the log cannot be read at unit ${this.#sn}`);
      this.#offset += frame.bytes.length;
      const { isTable, sn, units } = frame.header;
      if (isTable || sn + units <= this.#sn) continue;
      assert(sn <= this.#sn, "flushed frames have no gap");
      this.#sn = sn + units;
      return frame;
    }
    return null;
  }

  close(): void {
    this.#reader?.close();
    this.#reader = null;
  }

  /** Opens the segment that contains the next transaction. */
  #open(): void {
    const segment = this.#log.segments.findLast(({ firstSn }) => firstSn <= this.#sn);
    if (segment === undefined) throw new Error(`log starts after transaction ${this.#sn}`);
    if (this.#reader !== null && this.#segment === segment.firstSn) return;
    this.close();
    this.#reader = new SegmentReader(this.#disk.open(join(this.#log.folder, segment.name), "read"));
    this.#segment = segment.firstSn;
    this.#offset = SEGMENT_HEADER_BYTES;
  }
}
