// Bytes travel between sockets and executors as latin1 text, one character a byte: such text
// concatenates and crosses threads faster than buffers. These functions are the way in and out.

/** Bytes up to here are better copied into text that goes with them than sent by themselves. */
export const MAX_COPIED_BYTES = 8192;

/** The text of bytes that are there already. */
export function latin1Text({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString("latin1");
}

/** The UTF-8 bytes of a text, as latin1 text. Lone surrogates become U+FFFD. */
export function toLatin1(text: string): string {
  // Nearly every text is ASCII, where both forms are the same string.
  if (Buffer.byteLength(text, "utf8") === text.length) return text;
  return Buffer.from(text, "utf8").toString("latin1");
}

/** The text whose UTF-8 bytes are given as latin1 text. Invalid bytes become U+FFFD. */
export function latin1ToUtf8(bytes: string): string {
  if (Buffer.byteLength(bytes, "utf8") === bytes.length) return bytes;
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/** Before and behind bytes that something will be put around. */
const ROOM_BYTES = 512;

/** Latin1 text in an ArrayBuffer of its own, to be transferred, with room for `wrapped`. */
export function latin1WithHeadroom(text: string): Uint8Array<ArrayBuffer> {
  const whole = Buffer.from(new ArrayBuffer(text.length + 2 * ROOM_BYTES));
  whole.write(text, ROOM_BYTES, "latin1");
  return new Uint8Array(whole.buffer, ROOM_BYTES, text.length);
}

/** Bytes between two latin1 texts. Those that have room are not copied, however many they are. */
export function wrapInPlace(head: string, bytes: Uint8Array, tail: string): Uint8Array {
  const { buffer, byteOffset, length } = bytes;
  const end = byteOffset + length;
  // Exactly what `latin1WithHeadroom` makes: around other bytes there may be somebody else's.
  const isRoomy = byteOffset === ROOM_BYTES && buffer.byteLength === end + ROOM_BYTES;
  if (!isRoomy || head.length > ROOM_BYTES || tail.length > ROOM_BYTES) {
    return Buffer.concat([Buffer.from(head, "latin1"), bytes, Buffer.from(tail, "latin1")]);
  }
  const whole = Buffer.from(buffer);
  whole.write(head, byteOffset - head.length, "latin1");
  whole.write(tail, end, "latin1");
  return whole.subarray(byteOffset - head.length, end + tail.length);
}
