// Trunk protocol: one connection between a dispatcher and a back-end carries many streams. Each
// frame has an eight-byte big-endian header, then its content:
//
//   u32 stream, from 1, never reused │ u8 type │ u24 length of the content
//
// Content is passed on as it arrives and never buffered here, so a peer that announces a lot and
// sends little takes no memory.

export const FRAME = {
  /** Stream content, 1 to 65,536 bytes; the first frame opens the stream. */
  data: 1,
  /** The back-end's last frame of the stream. */
  end: 2,
  /** The stream is cancelled, or fails. */
  reset: 3,
  /** The back-end has processed nothing of the stream. */
  refuse: 4,
} as const;

export type EndFrame = typeof FRAME.end | typeof FRAME.reset | typeof FRAME.refuse;

/** First line from either side; a server without trunks rejects it. */
export const TRUNK_LINE = "XSVCTRUNK 1\r\n";
/** Header field by which a dispatcher offers and a back-end accepts an upgrade to a trunk: `1`. */
export const TRUNK_HEADER = "X-SVC-Trunk";

/** Error code of streams whose peer violates the protocol. */
export const INVALID_FRAME = "INVALID_FRAME";

export const MAX_FRAME_BYTES = 64 * 1024;
export const MAX_STREAM_ID = 0xffff_ffff;
const HEADER_BYTES = 8;

/** Returns a frame header as latin1 text. */
export function frameHeader(id: number, type: number, length: number): string {
  return String.fromCharCode(
    id >>> 24,
    (id >>> 16) & 0xff,
    (id >>> 8) & 0xff,
    id & 0xff,
    type,
    length >>> 16,
    (length >>> 8) & 0xff,
    length & 0xff,
  );
}

/** Receives frames in order; returning false stops the reader. */
export interface FrameSink {
  /** Part of a frame's content, never empty; overwritten after this returns. */
  data(id: number, bytes: Buffer): boolean;
  onEnd(id: number, type: EndFrame): boolean;
}

export class FrameReader {
  readonly #sink: FrameSink;
  /** An incomplete header. */
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerBytes = 0;
  /** Stream of the frame being received, and its remaining bytes. */
  #id = 0;
  #left = 0;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** @returns false for an invalid frame, or if the sink stops */
  feed(chunk: Buffer): boolean {
    let at = 0;
    while (at < chunk.length) {
      if (this.#left > 0) {
        const end = Math.min(chunk.length, at + this.#left);
        this.#left -= end - at;
        if (!this.#sink.data(this.#id, chunk.subarray(at, end))) return false;
        at = end;
      } else if (this.#headerBytes === 0 && chunk.length - at >= HEADER_BYTES) {
        if (!this.#begin(chunk, at)) return false;
        at += HEADER_BYTES;
      } else {
        this.#header[this.#headerBytes++] = chunk[at++]!;
        if (this.#headerBytes < HEADER_BYTES) continue;
        this.#headerBytes = 0;
        if (!this.#begin(this.#header, 0)) return false;
      }
    }
    return true;
  }

  #begin(bytes: Buffer, at: number): boolean {
    const id = bytes.readUInt32BE(at);
    const type = bytes[at + 4]!;
    const length = bytes.readUIntBE(at + 5, 3);
    if (id === 0) return false;
    if (type === FRAME.data) {
      this.#id = id;
      this.#left = length;
      return length > 0 && length <= MAX_FRAME_BYTES;
    }
    const isEnd = type === FRAME.end || type === FRAME.reset || type === FRAME.refuse;
    return isEnd && length === 0 && this.#sink.onEnd(id, type);
  }
}
