// Reads the frames of one segment file in order and validates lengths and checksums. Reading stops
// at the first invalid frame; the caller decides whether the segment may end there.

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
/** Minimum for short files, which may grow. */
const MIN_WINDOW_BYTES = 2 ** 16;

/** A frame, valid until the next one is read. */
export interface Frame {
  readonly header: FrameHeader;
  /** Offset of the frame in its file. */
  readonly offset: number;
  /** The transactions occupy these words from `at` to `end`. */
  readonly words: Uint32Array;
  readonly at: number;
  readonly end: number;
  /** The whole frame, with its header. */
  readonly bytes: Buffer;
}

export class SegmentReader {
  readonly #file: DiskFile;
  readonly size: number;
  /** Part of the file read last. */
  #window: Buffer;
  #words: Uint32Array;
  #from = 0;
  #length = 0;

  /** @param windowBytes initial size of the read buffer, a multiple of 4 */
  constructor(file: DiskFile, windowBytes?: number) {
    this.#file = file;
    this.size = file.size();
    const bytes = windowBytes ?? windowFor(this.size);
    this.#window = Buffer.alloc(bytes);
    this.#words = new Uint32Array(this.#window.buffer, 0, bytes / 4);
  }

  /** Returns null for a corrupt header, and the version number of an unsupported one. */
  header(): SegmentHeader | number | null {
    return decodeSegmentHeader(this.#bytesAt(0, SEGMENT_HEADER_BYTES));
  }

  /** Returns the bytes of the header, valid until the next read. */
  headerBytes(): Buffer {
    return this.#bytesAt(0, SEGMENT_HEADER_BYTES);
  }

  /** Returns the frame header at an offset, without checking the payload; null if corrupt. */
  frameHeaderAt(offset: number): FrameHeader | null {
    return decodeFrameHeader(this.#bytesAt(offset, FRAME_HEADER_BYTES));
  }

  /** Returns the frame at an offset; null if it is not intact. */
  frameAt(offset: number): Frame | null {
    const header = this.frameHeaderAt(offset);
    if (header === null) return null;
    const bytes = this.#bytesAt(offset, FRAME_HEADER_BYTES + header.bytes);
    if (!isIntact(header, bytes.subarray(FRAME_HEADER_BYTES))) return null;
    const at = (offset - this.#from + FRAME_HEADER_BYTES) / 4;
    return { header, offset, words: this.#words, at, end: at + header.bytes / 4, bytes };
  }

  /**
   * Returns the offset of the first intact frame at or after `offset` with at least that sequence
   * number, or -1.
   */
  search(offset: number, sn = 0): number {
    for (let at = offset; at + FRAME_HEADER_BYTES <= this.size; at += 4) {
      const header = this.frameHeaderAt(at);
      if (header === null || header.sn < sn) continue;
      if (this.frameAt(at) !== null) return at;
    }
    return -1;
  }

  /** Discards what was read ahead, because the file may have changed since. */
  discardBuffer(): void {
    this.#length = 0;
  }

  /** Offset of the last read. */
  get position(): number {
    return this.#from;
  }

  close(): void {
    this.#file.close();
  }

  /** Returns `length` bytes from an offset, fewer at the end of the file. */
  #bytesAt(offset: number, length: number): Buffer {
    const isInside = offset >= this.#from && offset + length <= this.#from + this.#length;
    if (!isInside) this.#load(offset, length);
    const start = offset - this.#from;
    return this.#window.subarray(start, Math.min(start + length, this.#length));
  }

  #load(offset: number, length: number): void {
    if (length > this.#window.length) {
      // Frames of one log have similar lengths, so few doublings are enough.
      const doubled = Math.max(length, 2 * this.#window.length);
      this.#window = Buffer.alloc(Math.min(doubled, MAX_FRAME_BYTES + WINDOW_BYTES));
      this.#words = new Uint32Array(this.#window.buffer, 0, this.#window.length / 4);
    }
    this.#from = offset;
    this.#length = this.#file.read(this.#window, offset);
  }
}

function windowFor(fileBytes: number): number {
  return Math.min(WINDOW_BYTES, Math.max(MIN_WINDOW_BYTES, 4 * Math.ceil(fileBytes / 4)));
}
