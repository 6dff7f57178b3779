// Reads the frames of one segment file, one after the other, and believes nothing in them before it
// is checked: lengths, checksums, chain and numbers. What cannot be read is where the segment ends;
// whether it may end there is for the caller to decide.

import type { DiskFile } from "./disk.js";
import {
  decodeFrameHeader,
  decodeSegmentHeader,
  FRAME_HEADER_BYTES,
  type FrameHeader,
  isIntact,
  MAX_FRAME_BYTES,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
} from "./segment-format.js";

const WINDOW_BYTES = 2 ** 20;

/** A frame, as long as the next one is not read. */
export interface Frame {
  readonly header: FrameHeader;
  /** Where the frame lies in its file. */
  readonly offset: number;
  /** The units lie in these words, from `at` up to `end`. */
  readonly words: Uint32Array;
  readonly at: number;
  readonly end: number;
  /** The whole frame, header included. */
  readonly bytes: Buffer;
}

export class SegmentReader {
  readonly #file: DiskFile;
  readonly size: number;
  /** The part of the file that was read last. */
  #window = Buffer.alloc(WINDOW_BYTES);
  #words = new Uint32Array(this.#window.buffer, 0, WINDOW_BYTES / 4);
  #from = 0;
  #length = 0;

  constructor(file: DiskFile) {
    this.#file = file;
    this.size = file.size();
  }

  /** Null: damaged; a number: of another version. */
  header(): SegmentHeader | number | null {
    return decodeSegmentHeader(this.#bytesAt(0, SEGMENT_HEADER_BYTES));
  }

  /** The header of a frame that begins at a byte, whether or not the rest is as it was. */
  frameHeaderAt(offset: number): FrameHeader | null {
    return decodeFrameHeader(this.#bytesAt(offset, FRAME_HEADER_BYTES));
  }

  /** The frame that begins at a byte, if one does that is whole. */
  frameAt(offset: number): Frame | null {
    const header = this.frameHeaderAt(offset);
    if (header === null) return null;
    const bytes = this.#bytesAt(offset, FRAME_HEADER_BYTES + header.bytes);
    if (!isIntact(header, bytes.subarray(FRAME_HEADER_BYTES))) return null;
    const at = (offset - this.#from + FRAME_HEADER_BYTES) / 4;
    return { header, offset, words: this.#words, at, end: at + header.bytes / 4, bytes };
  }

  /**
   * First byte from an offset on at which a whole frame begins, of so high a number at least; -1 if
   * there is none.
   */
  search(offset: number, sn = 0): number {
    for (let at = offset; at + FRAME_HEADER_BYTES <= this.size; at += 4) {
      const header = this.frameHeaderAt(at);
      if (header === null || header.sn < sn) continue;
      if (this.frameAt(at) !== null) return at;
    }
    return -1;
  }

  /** Where what was wanted last begins. */
  get position(): number {
    return this.#from;
  }

  close(): void {
    this.#file.close();
  }

  /** So many bytes from an offset on, fewer at the end of the file. */
  #bytesAt(offset: number, length: number): Buffer {
    const isInside = offset >= this.#from && offset + length <= this.#from + this.#length;
    if (!isInside) this.#load(offset, length);
    const start = offset - this.#from;
    return this.#window.subarray(start, Math.min(start + length, this.#length));
  }

  #load(offset: number, length: number): void {
    if (length > this.#window.length) {
      this.#window = Buffer.alloc(MAX_FRAME_BYTES + WINDOW_BYTES);
      this.#words = new Uint32Array(this.#window.buffer, 0, this.#window.length / 4);
    }
    this.#from = offset;
    this.#length = this.#file.read(this.#window, offset);
  }
}
