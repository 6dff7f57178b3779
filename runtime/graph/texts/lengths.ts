// Lengths of texts in one byte each, as Lucene and tantivy encode them: exact up to 40 words, then
// with four significant bits. Scores equal to theirs need the same rounding.

const EXACT = 24;

/** Number of words that a byte represents. */
export const LENGTH_OF_BYTE = Float64Array.from({ length: 256 }, (_, byte) => decode(byte));

function decode(byte: number): number {
  if (byte < EXACT) return byte;
  const code = byte - EXACT;
  const shift = (code >>> 3) - 1;
  const bits = code & 7;
  return EXACT + (shift < 0 ? bits : (bits | 8) * 2 ** shift);
}

/** Encodes a length: returns the byte of the greatest length that is not greater. */
export function byteOfLength(words: number): number {
  if (words < EXACT) return words;
  const rest = Math.min(words - EXACT, 2 ** 31 - 1);
  if (rest < 8) return EXACT + rest;
  const bits = 32 - Math.clz32(rest);
  const shift = bits - 4;
  return Math.min(255, EXACT + ((rest >>> shift) & 7) + ((shift + 1) << 3));
}
