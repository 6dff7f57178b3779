// The bytes on a trunk: one connection between a dispatcher and a back-end that carries many
// streams. Each frame is eight bytes, big-endian, and what they announce:
//
//   u32 stream, from 1 on, never used twice │ u8 type │ u24 length of what follows
//
// Content is handed on as it arrives and never gathered here, so a peer that announces much and
// sends little takes no memory.

export const FRAME = {
  /** Bytes of a stream, 1 to 65,536; the first ones open it. */
  data: 1,
  /** The back-end sends nothing more on it. */
  end: 2,
  /** Nobody waits for what is still to come on it, or there will be nothing. */
  reset: 3,
  /** The back-end has not looked at anything of it. */
  refuse: 4,
} as const;

export type EndFrame = typeof FRAME.end | typeof FRAME.reset | typeof FRAME.refuse;

/** What either side says first. A server that does not know it refuses all that follows. */
export const TRUNK_LINE = "XSVCTRUNK 1\r\n";
/** The field by which a dispatcher asks, and a back-end tells, whether it takes trunks: `1`. */
export const TRUNK_HEADER = "X-SVC-Trunk";

/** Code of the error that streams end with when the other side breaks these rules. */
export const INVALID_FRAME = "INVALID_FRAME";

export const MAX_FRAME_BYTES = 64 * 1024;
export const MAX_STREAM_ID = 0xffff_ffff;
const HEADER_BYTES = 8;

/** The header of a frame as latin1 text. */
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

/** Takes frames in order; false ends the reading. */
export interface FrameSink {
  /** Part of the content of a frame, never empty; overwritten once this has returned. */
  data(id: number, bytes: Buffer): boolean;
  ended(id: number, type: EndFrame): boolean;
}

export class FrameReader {
  readonly #sink: FrameSink;
  /** The header that is not complete. */
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerBytes = 0;
  /** The frame whose content is being received, and how much of that is to come. */
  #id = 0;
  #left = 0;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** @returns false for what is no frame, or when the sink takes no more */
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
    return isEnd && length === 0 && this.#sink.ended(id, type);
  }
}
