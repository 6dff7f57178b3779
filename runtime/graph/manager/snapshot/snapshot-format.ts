// Format of a snapshot file. Words have the byte order of the machine that wrote it, recorded in
// the header. Everything is checked against CRC-32 checksums and the file length.
//
//   page 0      header: the words of `Word`, {name, words} of each arena, then the graph's name
//   page 1 ...  chunks of the arenas, each on a page of its own, in any order, zero-padded
//   at the end  table: {page, CRC-32 of the page} per chunk, by arena and position in it
//
// Pages are 16 KiB. An arena of n words has ceil(n / CHUNK_WORDS) chunks, all but the last full.
//
// A delta has the chunks that differ from a snapshot, its base; the table has page 0 for all
// others. The header names the base by the checksum of its header page, which covers all its
// checksums.
//
// The set of arenas is independent of the version: a missing arena is empty, an unknown one is
// rejected. The versions change with the layout of an arena; each release also reads the previous
// version.

import { crc32 } from "node:zlib";
import { explainLaterFormat } from "../../../base/later-release.js";
import { ALLOCATOR_WORDS, ALLOCATORS, ALLOCATORS_END, CHUNK_WORDS } from "../../memory/layout.js";
import { DataError } from "../../model/errors.js";
import { decodeArenasOfVersion1, NAME_WORD_OF_VERSION_1 } from "./snapshot-version-1.js";

export const PAGE_BYTES = CHUNK_WORDS * 4;
export const TABLE_ENTRY_BYTES = 8;
const MAGIC = "SVCGRAPH";
const VERSION = 2;
const DELTA_VERSION = 3;
const BYTE_ORDER = 0x0102_0304;

/** Offsets in the header page. `Checksum`, `Version` and `ByteOrder` never move. */
const Word = {
  Magic: 0,
  /** CRC-32 of the page, computed with 0 in this word. */
  Checksum: 2,
  Version: 3,
  ByteOrder: 4,
  ArenaCount: 5,
  SavedAt: 6,
  /** Operation count of the graph, low and high word. */
  OperationCount: 7,
  OperationCountHigh: 8,
  TablePage: 9,
  TableChecksum: 10,
  NameBytes: 11,
  /** Only in a delta: checksum, second and operation count of the base. */
  BaseChecksum: 12,
  BaseSavedAt: 13,
  BaseOperationCount: 14,
  BaseOperationCountHigh: 15,
  Arenas: 64,
  Name: 576,
} as const;

/** Per arena: zero-padded ASCII name and number of words. */
const ARENA_ENTRY_WORDS = 8;
const ARENA_NAME_BYTES = (ARENA_ENTRY_WORDS - 1) * 4;
/** Limited by the room for allocators in the header of a graph. */
const MAX_ARENAS = (ALLOCATORS_END - ALLOCATORS) / ALLOCATOR_WORDS;
/** 4 GiB, the limit of an arena in every version. */
const MAX_WORDS = 2 ** 30;
const MAX_NAME_BYTES = (CHUNK_WORDS - Word.Name) * 4;

export interface StoredArena {
  readonly name: string;
  readonly words: number;
}

/** Identifies a snapshot: checksum of its header, second, operation count. */
export interface SnapshotIdentity {
  readonly checksum: number;
  readonly savedAt: number;
  readonly operationCount: number;
}

export interface SnapshotHeader extends SnapshotIdentity {
  readonly version: number;
  readonly name: string;
  /** Snapshot that a delta changes; null: a snapshot. */
  readonly base: SnapshotIdentity | null;
  /** In the order of their allocators in the graph header, and of their chunks in the table. */
  readonly arenas: readonly StoredArena[];
  readonly tablePage: number;
  readonly tableChecksum: number;
}

/** The parts of a header known before the chunks are written. */
export type SnapshotPoint = Pick<SnapshotHeader, "name" | "savedAt" | "operationCount" | "arenas">;

/** @throws DataError if the name is too long */
export function encodeHeader(header: Omit<SnapshotHeader, "version" | "checksum">): Uint8Array {
  const words = new Uint32Array(CHUNK_WORDS);
  const bytes = new Uint8Array(words.buffer);
  const encoder = new TextEncoder();
  const name = encoder.encode(header.name);
  if (name.length > MAX_NAME_BYTES) {
    throw new DataError(`a graph's name takes at most ${MAX_NAME_BYTES} bytes`);
  }
  bytes.set(encoder.encode(MAGIC));
  bytes.set(name, Word.Name * 4);
  words[Word.Version] = header.base === null ? VERSION : DELTA_VERSION;
  words[Word.ByteOrder] = BYTE_ORDER;
  if (header.base !== null) {
    words[Word.BaseChecksum] = header.base.checksum;
    words[Word.BaseSavedAt] = header.base.savedAt;
    words[Word.BaseOperationCount] = header.base.operationCount % 2 ** 32;
    words[Word.BaseOperationCountHigh] = Math.floor(header.base.operationCount / 2 ** 32);
  }
  words[Word.ArenaCount] = header.arenas.length;
  words[Word.SavedAt] = header.savedAt;
  words[Word.OperationCount] = header.operationCount % 2 ** 32;
  words[Word.OperationCountHigh] = Math.floor(header.operationCount / 2 ** 32);
  words[Word.TablePage] = header.tablePage;
  words[Word.TableChecksum] = header.tableChecksum;
  words[Word.NameBytes] = name.length;
  for (const [position, arena] of header.arenas.entries()) {
    const entry = Word.Arenas + position * ARENA_ENTRY_WORDS;
    encoder.encodeInto(arena.name, bytes.subarray(entry * 4, entry * 4 + ARENA_NAME_BYTES));
    words[entry + ARENA_ENTRY_WORDS - 1] = arena.words;
  }
  words[Word.Checksum] = crc32(bytes);
  return bytes;
}

/**
 * Decodes the header of a file.
 * @param page first page of the file
 * @throws CorruptSnapshotError if it is not a header, or corrupt
 * @throws DataError if this version or machine cannot read the snapshot
 */
export function decodeHeader(page: Uint8Array): SnapshotHeader {
  const words = new Uint32Array(page.slice(0, PAGE_BYTES).buffer);
  const bytes = new Uint8Array(words.buffer);
  const checksum = checkPage(words, bytes);
  const version = words[Word.Version]!;
  const nameWord = version === 1 ? NAME_WORD_OF_VERSION_1 : Word.Name;
  const nameBytes = words[Word.NameBytes]!;
  const arenas = version === 1 ? decodeArenasOfVersion1(words) : decodeArenas(words, bytes);
  const isConsistent =
    nameBytes <= (CHUNK_WORDS - nameWord) * 4 &&
    new Set(arenas.map(({ name }) => name)).size === arenas.length &&
    arenas.every((arena) => arena.words <= MAX_WORDS);
  if (!isConsistent) throw new CorruptSnapshotError("invalid header");
  const wide = (low: number): number => words[low]! + words[low + 1]! * 2 ** 32;
  const base = {
    checksum: words[Word.BaseChecksum]!,
    savedAt: words[Word.BaseSavedAt]!,
    operationCount: wide(Word.BaseOperationCount),
  };
  return {
    version,
    checksum,
    name: decodeText(bytes.subarray(nameWord * 4, nameWord * 4 + nameBytes)),
    savedAt: words[Word.SavedAt]!,
    operationCount: wide(Word.OperationCount),
    base: version === DELTA_VERSION ? base : null,
    arenas,
    tablePage: words[Word.TablePage]!,
    tableChecksum: words[Word.TableChecksum]!,
  };
}

/** Validates magic, checksum, byte order and version; returns the checksum. */
function checkPage(words: Uint32Array, bytes: Uint8Array): number {
  if (bytes.length < PAGE_BYTES) throw new CorruptSnapshotError("truncated header");
  if (decodeText(bytes.subarray(0, MAGIC.length)) !== MAGIC) {
    throw new CorruptSnapshotError("not a snapshot file");
  }
  const checksum = words[Word.Checksum]!;
  words[Word.Checksum] = 0;
  const hasOtherOrder = words[Word.ByteOrder] === swapBytes(BYTE_ORDER);
  if (crc32(bytes) !== (hasOtherOrder ? swapBytes(checksum) : checksum)) {
    throw new CorruptSnapshotError("corrupt header");
  }
  if (hasOtherOrder) throw new DataError("written on a machine with different byte order");
  const version = words[Word.Version]!;
  const reason = explainLaterFormat(version, DELTA_VERSION);
  if (reason !== null) throw new DataError(reason);
  if (version < 1) throw new DataError(`format ${version} is not supported`);
  return checksum;
}

/** Returns whether two snapshots are the same one. */
export function isSameSnapshot(a: SnapshotIdentity, b: SnapshotIdentity): boolean {
  return (
    a.checksum === b.checksum && a.savedAt === b.savedAt && a.operationCount === b.operationCount
  );
}

function decodeArenas(words: Uint32Array, bytes: Uint8Array): StoredArena[] {
  const count = words[Word.ArenaCount]!;
  if (count > MAX_ARENAS) throw new CorruptSnapshotError("invalid header");
  return Array.from({ length: count }, (_, position) => {
    const entry = Word.Arenas + position * ARENA_ENTRY_WORDS;
    const name = bytes.subarray(entry * 4, entry * 4 + ARENA_NAME_BYTES);
    const end = name.indexOf(0);
    return {
      name: decodeText(end < 0 ? name : name.subarray(0, end)),
      words: words[entry + ARENA_ENTRY_WORDS - 1]!,
    };
  });
}

function decodeText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Returns the number of chunks of an arena. */
export function countChunks(words: number): number {
  return Math.ceil(words / CHUNK_WORDS);
}

/** Returns the number of words of a chunk. */
export function chunkWords(words: number, chunk: number): number {
  return Math.min(CHUNK_WORDS, words - chunk * CHUNK_WORDS);
}

function swapBytes(word: number): number {
  const bytes = new DataView(new ArrayBuffer(4));
  bytes.setUint32(0, word, true);
  return bytes.getUint32(0, false);
}

/**
 * A snapshot file is corrupt, so the previous one is used. Leaves this folder only as a DataError
 * that names the file.
 */
export class CorruptSnapshotError extends Error {
  override name = "CorruptSnapshotError";
}
