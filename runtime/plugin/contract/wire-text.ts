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
export function fromLatin1(bytes: string): string {
  if (Buffer.byteLength(bytes, "utf8") === bytes.length) return bytes;
  return Buffer.from(bytes, "latin1").toString("utf8");
}
