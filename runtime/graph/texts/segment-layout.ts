// Memory layout of a segment: an immutable index of some documents, in one block of the arena
// `texts`. Offsets are words from the start of the segment; packed-block.ts packs blocks.
//
//   head       words below, then four words per key
//   vertices   vertex of each document; see packed-numbers.ts
//   versions   version of each text, packed the same way; omitted if all are 0
//   norms      1 byte per document and key: encoded length; grouped by key
//   terms      2 words per term, sorted by text: {unit in the texts, first list}
//   texts      UTF-16 of all terms
//   lists      4 words per key of a term: {key << 24 | documents, data, positions, limit}
//   bytes      postings of short lists, positions of all lists
//   blocks     headers and packed postings of long lists
//   columns    6 words per column, sorted distinct values, 1 ordinal per document; optional
//
// A list of one document stores the document in `data` and its frequency in `limit`. In a short
// list (less than a block), `data` is a byte offset. In a long list it is the first block header:
//
//   {last document, data, maximum weight f32, gap bits | frequency bits << 8 | count << 16}
//
// The maximum weight is rounded up. In a block without frequency bits it is the weight of the
// shortest text, rounded to the nearest float32.
//
// The data of a block is {byte of the positions, gaps, frequencies - 1}. Gaps and frequencies are
// packed in four lanes: value i is in lane i % 4, a bit stream that starts in its own word.

/** Incremented when the layout of segments changes. */
export const SEGMENT_VERSION = 2;

export const SegmentHead = {
  Words: 0,
  SizeClass: 1,
  Documents: 2,
  /** For a retired segment: the next retired segment, and the epoch when it was retired. */
  NextRetired: 3,
  RetiredIn: 4,
  /** 0: no columns. */
  ColumnsAt: 5,
  Terms: 6,
  Lists: 7,
  VerticesAt: 8,
  /** 0: all versions are 0. */
  VersionsAt: 9,
  NormsAt: 10,
  TermsAt: 11,
  TextsAt: 12,
  ListsAt: 13,
  BytesAt: 14,
  Keys: 15,
} as const;
const HEAD_WORDS = 16;

/** Words of a key, after the head. */
export const SegmentKey = {
  /** Sum of the lengths of its texts, low and high word. */
  Length: 0,
  LengthHigh: 1,
  /** Average length for which maximum weights were computed, as bits of a float32. */
  Average: 2,
} as const;
const KEY_WORDS = 4;

/** Words of a column; offsets are words from the start of the section of columns. */
export const Column = {
  /** Distinct numbers, 2 words each, ascending. */
  Numbers: 0,
  NumbersAt: 1,
  /** Number of distinct strings; then their offsets in units, the end of the last, and UTF-16. */
  Strings: 2,
  StringsAt: 3,
  /** Bytes per ordinal: 0, 1, 2 or 4. */
  Width: 4,
  OrdinalsAt: 5,
} as const;
export const COLUMN_WORDS = 6;
export const MAX_COLUMNS = 16;

export const TERM_WORDS = 2;
export const LIST_WORDS = 4;
export const List = { Documents: 0, Data: 1, Positions: 2, Limit: 3 } as const;
export const BLOCK_HEADER_WORDS = 4;
export const BlockHeader = { Last: 0, Data: 1, Limit: 2, Shape: 3 } as const;

/** Number of postings in a block. */
export const BLOCK = 128;
export const LANES = 4;
export const MAX_KEYS = 16;
/** Maximum number of documents in a segment: lists count them in 24 bits. */
export const MAX_DOCUMENTS = 2 ** 24 - 1;
export const DOCUMENTS_MASK = MAX_DOCUMENTS;
export const KEY_SHIFT = 24;

export function keyAt(key: number): number {
  return HEAD_WORDS + key * KEY_WORDS;
}

export function headWords(keys: number): number {
  return keyAt(keys);
}

/** Bytes of the norms of one key. */
export function normBytes(documents: number): number {
  return (documents + 3) & ~3;
}
