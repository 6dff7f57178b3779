// A text where it lies, such as in a record of the log: UTF-8 in words, the first byte lowest,
// zero-padded, as `PackedText` takes it in. Making a string of it only to pack that again would
// cost more than all the rest. One such object is used again for each record; it means something
// only until the next one is read.

import { type TextPlace, wordsFor } from "./packed-text.js";

const NOT_ASCII = 0x8080_8080 | 0;
const BLANKS = 0x2020_2020;
/** Added to ASCII, it lets the highest bit of each byte say that it is no control character. */
const ABOVE_CONTROL = 0x6060_6060;

export class TextView implements TextPlace {
  words: Uint32Array = new Uint32Array(0);
  at = 0;
  bytes = 0;

  /** The caller has checked that it is UTF-8, and lies there. */
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

/** The same text, in one form or the other; ids that one record makes have the same form. */
export function isSameText(a: string | TextView, b: string | TextView): boolean {
  return typeof a === "string" || typeof b === "string" ? a === b : a.equals(b);
}

/** True if all bytes of a text are ASCII. */
export function isAscii(words: Uint32Array, at: number, bytes: number): boolean {
  const end = at + wordsFor(bytes);
  let seen = 0;
  for (let word = at; word < end; word++) seen |= words[word]!;
  return (seen & NOT_ASCII) === 0;
}

/** True if all bytes of a text are ASCII, and none is a control character below the blank. */
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
