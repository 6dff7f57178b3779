// Replication messages. Header of 16 bytes, little-endian, then the body: "SVCM" | type, check << 8
// | body length | CRC-32 of type, length and body.
//
// The check covers only type and length. Without it, a corrupt length would make the reader wait
// for data that never comes. It is 0 in greetings, which earlier versions must be able to read, and
// in messages of earlier versions that streams still contain.
//
// Everything is validated before use, and a length before memory is allocated for it.

import { crc32 } from "node:zlib";
import { SvcError } from "../../base/errors.js";
import { FRAME_HEADER_BYTES, MAX_FRAME_BYTES } from "../log/segment-format.js";

const MAGIC = 0x4d43_5653;
const HEADER_BYTES = 16;
const TYPE_MASK = 0xff;
const CHECK_SHIFT = 8;
/** Message size limit before authentication. */
const MAX_UNAUTHENTICATED_BYTES = 1024;

export const MessageType = {
  Hello: 1,
  Proof: 2,
  Positions: 3,
  Refusal: 4,
  Table: 5,
  SnapshotBegin: 6,
  SnapshotChunk: 7,
  SnapshotEnd: 8,
  Frame: 9,
  Ack: 10,
  Status: 11,
  /** Heartbeat. */
  Alive: 12,
  Start: 13,
  /** The receiver sends no more frames until `Resume`. */
  Pause: 14,
  Resume: 15,
} as const;
export type MessageTypeNumber = (typeof MessageType)[keyof typeof MessageType];

export interface Message {
  readonly type: number;
  /** Not shared with other messages; aligned. */
  readonly body: Buffer;
}

export function encodeMessage(type: MessageTypeNumber, body: Uint8Array): Buffer {
  const message = Buffer.allocUnsafe(HEADER_BYTES + body.length);
  message.writeUInt32LE(MAGIC, 0);
  message.writeUInt32LE(type, 4);
  message.writeUInt32LE(body.length, 8);
  if (type !== MessageType.Hello) message.writeUInt32LE(checkedType(message), 4);
  message.writeUInt32LE(crc32(body, crc32(message.subarray(4, 12))), 12);
  message.set(body, HEADER_BYTES);
  return message;
}

/** Assembles messages from received chunks. */
export class MessageReader {
  #maxBytes = MAX_UNAUTHENTICATED_BYTES;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #body: Buffer | null = null;
  /** Bytes received of the header, then of the body. */
  #filled = 0;

  /** Lifts the size limit after authentication. */
  trust(): void {
    this.#maxBytes = FRAME_HEADER_BYTES + MAX_FRAME_BYTES;
  }

  /**
   * Yields the messages that a chunk completes.
   * @throws SvcError SVC2531 if one is invalid or corrupt
   */
  *read(piece: Buffer): Generator<Message, void, void> {
    for (let at = 0; at < piece.length || this.#isComplete(); ) {
      if (this.#body === null) {
        at += this.#fill(this.#header, piece, at);
        if (this.#filled === HEADER_BYTES) this.#begin();
        continue;
      }
      at += this.#fill(this.#body, piece, at);
      if (this.#isComplete()) yield this.#end(this.#body);
    }
  }

  #isComplete(): boolean {
    return this.#body !== null && this.#filled === this.#body.length;
  }

  #fill(into: Buffer, piece: Buffer, at: number): number {
    const copied = piece.copy(into, this.#filled, at);
    this.#filled += copied;
    return copied;
  }

  #begin(): void {
    const length = this.#header.readUInt32LE(8);
    if (this.#header.readUInt32LE(0) !== MAGIC) throw malformedMessage("not a replication message");
    const type = this.#header.readUInt32LE(4);
    if (type > TYPE_MASK && type !== checkedType(this.#header)) {
      throw malformedMessage("corrupt message header");
    }
    if (length > this.#maxBytes)
      throw malformedMessage(`message of ${length} bytes exceeds the limit`);
    this.#body = Buffer.allocUnsafeSlow(length);
    this.#filled = 0;
  }

  #end(body: Buffer): Message {
    const crc = crc32(body, crc32(this.#header.subarray(4, 12)));
    if (crc !== this.#header.readUInt32LE(12)) throw malformedMessage("a message is corrupt");
    this.#body = null;
    this.#filled = 0;
    return { type: this.#header[4]!, body };
  }
}

/** Returns the second word of a header: the type with the check of type and length. */
function checkedType(header: Buffer): number {
  const type = header[4]!;
  const check = crc32(header.subarray(8, 12), type) >>> CHECK_SHIFT;
  return ((check << CHECK_SHIFT) | type) >>> 0;
}

export function malformedMessage(reason: string): SvcError {
  return new SvcError("SVC2531", `replication: ${reason}`);
}
