// How indexes of texts lie in the arena `texts`, beside their segments (segment-layout.ts).
//
//   directory   key codes of all indexes, then one entry for each index     never freed
//   ring        vertices of the latest versions                            never freed
//   definition  UTF-8 of the JSON that the index was declared with
//
// Whenever an indexed text may have become another, its vertex gets the next version. A document of
// a segment counts while its vertex has the version that the document was made from. Versions do
// not go back if the change is rolled back: then a vertex is pending without need. After 2^31 of
// them the builder restarts them, in two mutations: the first drops all segments, so that all
// vertices are pending by the scan whatever version they have; the second clears the versions.
//
// An index is behind by the vertices of versions above `BuiltTo`, which the ring names, and while a
// scan runs by those from `ScannedTo` on with a version from `ScanFrom` to `BuiltTo`. An index that
// was declared begins with a scan of all vertices; one that the ring has left behind scans those of
// the versions that were lost.

import { ANALYSIS_VERSION } from "./analysis/analysis.js";
import { SEGMENT_VERSION } from "./segment-layout.js";

/** Block sizes of the arena are multiples of this. */
export const TEXT_UNIT_WORDS = 64;

export const MAX_INDEXES = 16;
/**
 * One more than the maximum number of indexes: a builder may still fill a block for a replaced
 * index.
 */
export const INDEX_PLACES = MAX_INDEXES + 1;
export const MAX_SEGMENTS = 64;
/** Vertices in the ring: a power of two. For older versions, all vertices are scanned. */
export const RING_WORDS = 65_536;
/** The builder restarts versions at this one, far below the end of 32 bits. */
export const RESTART_VERSION = 2 ** 31;
export const MAX_VERSION = 0xffff_ffff;
/** `ScannedTo` once all vertices were scanned. */
export const ALL_SCANNED = 0xffff_ffff;

/** Words of the directory before the entries. */
export const Directory = { KeyCount: 0, Keys: 1, SegmentVersion: 255 } as const;
const DIRECTORY_HEAD_WORDS = 256;
/**
 * Version of the layout and analysis of all segments; loading drops segments of another version.
 */
export const BUILD_VERSION = SEGMENT_VERSION * 1000 + ANALYSIS_VERSION;
/** Key codes that the directory lists; a greater count: every key may be that of an index. */
export const MAX_LISTED_KEYS = Directory.SegmentVersion - Directory.Keys;
const ENTRY_WORDS = 128;
export const DIRECTORY_WORDS = DIRECTORY_HEAD_WORDS + INDEX_PLACES * ENTRY_WORDS;

/** Words of the entry of an index. */
export const Entry = {
  /** Odd while the other words are being written. */
  Sequence: 0,
  /** Raised with each index that is declared here. */
  Generation: 1,
  /** 0: no index. */
  Definition: 2,
  DefinitionBytes: 3,
  SegmentCount: 4,
  /** Texts of versions up to this one are in segments. */
  BuiltTo: 5,
  /** Vertices below this one have been scanned. */
  ScannedTo: 6,
  /** Block that a builder fills; freed by it or by the next builder. */
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

/** Word of an entry with the code of a key. */
export function keyWord(at: number): number {
  return at < FIRST_KEYS ? Entry.Keys + at : Entry.MoreKeys + at - FIRST_KEYS;
}

export function entryAt(directory: number, index: number): number {
  return directory + DIRECTORY_HEAD_WORDS + index * ENTRY_WORDS;
}
