// Bytes cross sockets and threads as latin1 text, one character per byte: such strings concatenate
// and cross threads faster than buffers. These functions convert both ways.

/**
 * Up to this size, copying bytes into the surrounding text is cheaper than sending them separately.
 */
export const MAX_COPIED_BYTES = 8192;

/** Decodes existing bytes without copying the buffer. */
export function latin1Text({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString("latin1");
}

/** Returns the UTF-8 bytes of a text as latin1 text. Lone surrogates become U+FFFD. */
export function toLatin1(text: string): string {
  // Nearly every text is ASCII, where both forms are the same string.
  if (Buffer.byteLength(text, "utf8") === text.length) return text;
  return Buffer.from(text, "utf8").toString("latin1");
}

/** Decodes UTF-8 bytes given as latin1 text. Invalid bytes become U+FFFD. */
export function latin1ToUtf8(bytes: string): string {
  if (Buffer.byteLength(bytes, "utf8") === bytes.length) return bytes;
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/** Headroom on both sides of transferred bytes, for the envelope. */
const ROOM_BYTES = 512;

/**
 * Returns latin1 text in a transferable ArrayBuffer of its own, with headroom for `wrapInPlace`.
 */
export function latin1WithHeadroom(text: string): Uint8Array<ArrayBuffer> {
  const withHeadroom = Buffer.from(new ArrayBuffer(text.length + 2 * ROOM_BYTES));
  withHeadroom.write(text, ROOM_BYTES, "latin1");
  return new Uint8Array(withHeadroom.buffer, ROOM_BYTES, text.length);
}

/** Returns bytes between two latin1 texts. Bytes with headroom are not copied. */
export function wrapInPlace(head: string, bytes: Uint8Array, tail: string): Uint8Array {
  const { buffer, byteOffset, length } = bytes;
  const end = byteOffset + length;
  // Only buffers of `latin1WithHeadroom`: others may contain unrelated bytes around these.
  const hasHeadroom = byteOffset === ROOM_BYTES && buffer.byteLength === end + ROOM_BYTES;
  if (!hasHeadroom || head.length > ROOM_BYTES || tail.length > ROOM_BYTES) {
    return Buffer.concat([Buffer.from(head, "latin1"), bytes, Buffer.from(tail, "latin1")]);
  }
  const target = Buffer.from(buffer);
  target.write(head, byteOffset - head.length, "latin1");
  target.write(tail, end, "latin1");
  return target.subarray(byteOffset - head.length, end + tail.length);
}
