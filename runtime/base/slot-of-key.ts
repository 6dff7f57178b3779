// Slot of a key: CRC-32 of its UTF-8 modulo a power of two. Where a key contains `{...}`, only the
// text inside the first braces counts, so that keys with the same text in braces share a slot.

import { crc32 } from "node:zlib";

const POLYNOMIAL = 0xedb8_8320;
const MAX_ASCII = 0x7f;
const BRACE = 0x7b;

const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) {
    remainder = (remainder & 1) === 0 ? remainder >>> 1 : (remainder >>> 1) ^ POLYNOMIAL;
  }
  return remainder;
});

/** @param count number of slots, a power of two up to 65,536 */
export function slotOfKey(key: string, count: number): number {
  // A call of zlib takes several times as long for a short key.
  let remainder = -1;
  for (let at = 0; at < key.length; at++) {
    const code = key.charCodeAt(at);
    if (code > MAX_ASCII || code === BRACE) return crc32(hashedPart(key)) & (count - 1);
    remainder = (remainder >>> 8) ^ TABLE[(remainder ^ code) & 0xff]!;
  }
  return ~remainder & (count - 1);
}

/** Returns the text in the first braces, unless it is empty; otherwise the whole key. */
function hashedPart(key: string): string {
  const open = key.indexOf("{");
  const close = open < 0 ? -1 : key.indexOf("}", open + 1);
  return close > open + 1 ? key.slice(open + 1, close) : key;
}
