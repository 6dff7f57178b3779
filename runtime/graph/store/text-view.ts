// View of a packed text in place, such as in a log record: UTF-8 in words, first byte lowest,
// zero-padded, as `PackedText` expects it. It avoids decoding a text only to encode it again. A
// reader reuses one view for all records; it is valid until the next record is read.

import { type TextPlace, wordsFor } from "./packed-text.js";

const NOT_ASCII = 0x8080_8080 | 0;
const BLANKS = 0x2020_2020;
/** Added to ASCII bytes, it sets the highest bit of each that is not a control character. */
const ABOVE_CONTROL = 0x6060_6060;

export class TextView implements TextPlace {
  words: Uint32Array = new Uint32Array(0);
  at = 0;
  bytes = 0;

  /** Points the view to a text; the caller has validated range and encoding. */
  place(words: Uint32Array, at: number, bytes: number): this {
    this.words = words;
    this.at = at;
    this.bytes = bytes;
    return this;
  }

  equals({ words, at, bytes }: TextView): boolean {
    if (bytes !== this.bytes) return false;
    const count = wordsFor(bytes);
    for (let word = 0; word < count; word++) {
      if (words[at + word] !== this.words[this.at + word]) return false;
    }
    return true;
  }
}

/** Compares two texts; ids created by the same record have the same representation. */
export function isSameText(a: string | TextView, b: string | TextView): boolean {
  return typeof a === "string" || typeof b === "string" ? a === b : a.equals(b);
}

/** Returns true if all bytes are ASCII. */
export function isAscii(words: Uint32Array, at: number, bytes: number): boolean {
  const end = at + wordsFor(bytes);
  let seen = 0;
  for (let word = at; word < end; word++) seen |= words[word]!;
  return (seen & NOT_ASCII) === 0;
}

/** Returns true if all bytes are ASCII and none is a control character below the space. */
export function isPlainAscii(words: Uint32Array, at: number, bytes: number): boolean {
  const last = at + (bytes >>> 2);
  let all = NOT_ASCII;
  let seen = 0;
  for (let word = at; word < last; word++) {
    seen |= words[word]!;
    all &= (words[word]! & ~NOT_ASCII) + ABOVE_CONTROL;
  }
  const over = (bytes & 3) * 8;
  if (over !== 0) {
    seen |= words[last]!;
    all &= ((words[last]! & ~NOT_ASCII) | (BLANKS << over)) + ABOVE_CONTROL;
  }
  return (seen & NOT_ASCII) === 0 && (all & NOT_ASCII) === NOT_ASCII;
}
