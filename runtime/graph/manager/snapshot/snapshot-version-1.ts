// Differences of snapshot version 1: arenas have no names but a fixed order, confirmed by a word of
// the header, and pages are not zero-padded, so bytes behind a chunk are undefined.

import { crc32 } from "node:zlib";
import { DataError } from "../../model/errors.js";

const ARENAS = [
  ...["header", "journal", "dirty", "out", "in", "sequence", "meta", "record", "outArcs", "inArcs"],
  ...["ids", "index", "strings", "groups", "cells", "lists", "events", "locks"],
];
const LAYOUT = crc32([...ARENAS, 16, 4096, 64, 4096].join(" "));
const LAYOUT_WORD = 5;
const WORDS_WORD = 12;

export const NAME_WORD_OF_VERSION_1 = 64;

/**
 * @param words words of the header page
 * @throws DataError for a version that was never released
 */
export function decodeArenasOfVersion1(words: Uint32Array): { name: string; words: number }[] {
  if (words[LAYOUT_WORD] !== LAYOUT) {
    throw new DataError("written by another version of svc-server");
  }
  return ARENAS.map((name, position) => ({ name, words: words[WORDS_WORD + position]! }));
}
