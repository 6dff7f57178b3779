// Bytes of an argument whose type is `Buffer`.

/** Returns a Buffer on the same memory; null and undefined stay as they are. */
export function toBuffer(bytes: unknown): unknown {
  if (!(bytes instanceof Uint8Array)) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
