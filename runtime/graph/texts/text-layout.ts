// Memory layout of text indexes in the arena `texts`; segments: segment-layout.ts.
//
//   directory   key codes of all indexes, then one entry for each index     never freed
//   ring        vertices of the latest versions                            never freed
//   definition  UTF-8 of the JSON that the index was declared with
//
// Each change that may affect an indexed text assigns the next version to its vertex. A document in
// a segment is current while its vertex still has the version that the document was read at. A
// rollback does not restore versions, so the vertex is pending unnecessarily. After 2^31 versions
// the builder restarts them in two mutations. The first drops all segments, so a scan covers all
// vertices, whatever their versions. The second clears the versions.
//
// Two kinds of vertices are pending: those with versions above `BuiltTo`, which the ring lists, and
// during a scan those from `ScannedTo` on with versions from `ScanFrom` to `BuiltTo`. A new index
// starts with a scan of all vertices. If the ring has overwritten versions before they were built,
// the builder scans for vertices with these versions.

import { ANALYSIS_VERSION } from "./analysis/analysis.js";
import { SEGMENT_VERSION } from "./segment-layout.js";

/** Block sizes of the arena are multiples of this. */
export const TEXT_UNIT_WORDS = 64;

export const MAX_INDEXES = 16;
/**
 * Number of entries: one more than the maximum number of indexes, because a builder may still fill
 * a block for a replaced index.
 */
export const INDEX_PLACES = MAX_INDEXES + 1;
export const MAX_SEGMENTS = 64;
/** Vertices in the ring: a power of two. For older versions, all vertices are scanned. */
export const RING_WORDS = 65_536;
/** The builder restarts versions when they reach this one, far below the maximum. */
export const RESTART_VERSION = 2 ** 31;
export const MAX_VERSION = 0xffff_ffff;
/** Value of `ScannedTo` after the scan of all vertices. */
export const ALL_SCANNED = 0xffff_ffff;

/** Words of the directory before the entries. */
export const Directory = { KeyCount: 0, Keys: 1, SegmentVersion: 255 } as const;
const DIRECTORY_HEAD_WORDS = 256;
/** Version of layout and analysis. Loading drops segments of another version. */
export const BUILD_VERSION = SEGMENT_VERSION * 1000 + ANALYSIS_VERSION;
/** Maximum number of key codes in the directory. If there are more, any key may be indexed. */
export const MAX_LISTED_KEYS = Directory.SegmentVersion - Directory.Keys;
const ENTRY_WORDS = 128;
export const DIRECTORY_WORDS = DIRECTORY_HEAD_WORDS + INDEX_PLACES * ENTRY_WORDS;

/** Words of the entry of an index. */
export const Entry = {
  /** Odd while the other words are being written. */
  Sequence: 0,
  /** Incremented when an index is declared in this entry. */
  Generation: 1,
  /** 0: no index. */
  Definition: 2,
  DefinitionBytes: 3,
  SegmentCount: 4,
  /** Texts of versions up to this one are in segments. */
  BuiltTo: 5,
  /** Vertices below this one have been scanned. */
  ScannedTo: 6,
  /** Block that a builder fills; freed by this builder or the next one. */
  Building: 7,
  BuildingClass: 8,
  KeyCount: 9,
  ScanFrom: 10,
  Keys: 16,
  Segments: 32,
  /** Codes of the keys after the first ones. */
  MoreKeys: 96,
} as const;
const FIRST_KEYS = Entry.Segments - Entry.Keys;

/** Returns the word of an entry that contains the code of a key. */
export function keyWord(at: number): number {
  return at < FIRST_KEYS ? Entry.Keys + at : Entry.MoreKeys + at - FIRST_KEYS;
}

export function entryAt(directory: number, index: number): number {
  return directory + DIRECTORY_HEAD_WORDS + index * ENTRY_WORDS;
}
