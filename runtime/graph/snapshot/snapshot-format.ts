// The form of a snapshot file. Words are those of the machine that wrote it, which the header
// tells; whatever is read is checked against a CRC-32 and the length of the file first.
//
//   page 0      header: the words of `Word`, then the graph's name; pages are 16 KiB
//   page 1 ...  chunks of the arenas, each on a page of its own, in any order
//   at the end  table: {page, CRC-32} for each chunk, by arena and place in it
//
// An arena of n words has ceil(n / CHUNK_WORDS) chunks, all full but the last one.

import { crc32 } from "node:zlib";
import {
  ALLOCATOR_WORDS,
  ARENAS,
  CHUNK_WORDS,
  HEADER_WORDS,
  RECORD_WORDS,
} from "../memory/layout.js";
import { DataError } from "../model/errors.js";
import { DamagedSnapshot } from "./damaged-snapshot.js";

export const PAGE_BYTES = CHUNK_WORDS * 4;
export const TABLE_ENTRY_BYTES = 8;
const MAGIC = "SVCGRAPH";
const VERSION = 1;
const BYTE_ORDER = 0x0102_0304;

/** Words of the header page. Where `Checksum`, `Version` and `ByteOrder` are never changes. */
const Word = {
  Magic: 0,
  /** CRC-32 of the page with 0 in its place. */
  Checksum: 2,
  Version: 3,
  ByteOrder: 4,
  Layout: 5,
  SavedAt: 6,
  /** Operation count of the graph, low and high word. */
  OperationCount: 7,
  OperationCountHigh: 8,
  TablePage: 9,
  TableChecksum: 10,
  NameBytes: 11,
  /** Words of each arena, in the order of `ARENAS`. */
  ArenaWords: 12,
  Name: 64,
} as const;

/** No arena of any version holds more than 4 GiB. */
const MAX_WORDS = 2 ** 30;
const MAX_NAME_BYTES = (CHUNK_WORDS - Word.Name) * 4;

/** Changes with the arenas, so that memory laid out otherwise is not taken for ours. */
const LAYOUT = crc32(
  [...ARENAS, RECORD_WORDS, HEADER_WORDS, ALLOCATOR_WORDS, CHUNK_WORDS].join(" "),
);

export interface SnapshotHeader {
  readonly name: string;
  /** Seconds since 1970. */
  readonly savedAt: number;
  readonly operationCount: number;
  /** In the order of `ARENAS`. */
  readonly arenaWords: readonly number[];
  readonly tablePage: number;
  readonly tableChecksum: number;
}

/** @throws DataError a name that has no room */
export function encodeHeader(header: SnapshotHeader): Uint8Array {
  const words = new Uint32Array(CHUNK_WORDS);
  const bytes = new Uint8Array(words.buffer);
  const name = new TextEncoder().encode(header.name);
  if (name.length > MAX_NAME_BYTES) {
    throw new DataError(`a graph's name takes at most ${MAX_NAME_BYTES} bytes`);
  }
  bytes.set(new TextEncoder().encode(MAGIC));
  bytes.set(name, Word.Name * 4);
  words[Word.Version] = VERSION;
  words[Word.ByteOrder] = BYTE_ORDER;
  words[Word.Layout] = LAYOUT;
  words[Word.SavedAt] = header.savedAt;
  words[Word.OperationCount] = header.operationCount % 2 ** 32;
  words[Word.OperationCountHigh] = Math.floor(header.operationCount / 2 ** 32);
  words[Word.TablePage] = header.tablePage;
  words[Word.TableChecksum] = header.tableChecksum;
  words[Word.NameBytes] = name.length;
  words.set(header.arenaWords, Word.ArenaWords);
  words[Word.Checksum] = crc32(bytes);
  return bytes;
}

/**
 * @param page the first page of a file
 * @throws DamagedSnapshot what is no header, or not as it was written
 * @throws DataError a snapshot that this version or machine cannot read
 */
export function decodeHeader(page: Uint8Array): SnapshotHeader {
  const words = new Uint32Array(page.slice(0, PAGE_BYTES).buffer);
  const bytes = new Uint8Array(words.buffer);
  if (bytes.length < PAGE_BYTES) throw new DamagedSnapshot("it ends within its header");
  const text = new TextDecoder();
  if (text.decode(bytes.subarray(0, MAGIC.length)) !== MAGIC) {
    throw new DamagedSnapshot("it does not begin like a snapshot");
  }
  const checksum = words[Word.Checksum]!;
  words[Word.Checksum] = 0;
  const hasOtherOrder = words[Word.ByteOrder] === swapped(BYTE_ORDER);
  if (crc32(bytes) !== (hasOtherOrder ? swapped(checksum) : checksum)) {
    throw new DamagedSnapshot("its header is damaged");
  }
  if (hasOtherOrder) throw new DataError("it was written on a machine of the other byte order");
  if (words[Word.Version] !== VERSION || words[Word.Layout] !== LAYOUT) {
    throw new DataError("it was written by another version of svc-server");
  }
  const arenaWords = [...words.subarray(Word.ArenaWords, Word.ArenaWords + ARENAS.length)];
  const nameBytes = words[Word.NameBytes]!;
  if (arenaWords.some((count) => count > MAX_WORDS) || nameBytes > MAX_NAME_BYTES) {
    throw new DamagedSnapshot("its header makes no sense");
  }
  return {
    name: text.decode(bytes.subarray(Word.Name * 4, Word.Name * 4 + nameBytes)),
    savedAt: words[Word.SavedAt]!,
    operationCount: words[Word.OperationCount]! + words[Word.OperationCountHigh]! * 2 ** 32,
    arenaWords,
    tablePage: words[Word.TablePage]!,
    tableChecksum: words[Word.TableChecksum]!,
  };
}

/** Chunks of an arena of so many words. */
export function chunksOf(words: number): number {
  return Math.ceil(words / CHUNK_WORDS);
}

/** Words of one chunk of an arena of so many words. */
export function wordsOfChunk(words: number, chunk: number): number {
  return Math.min(CHUNK_WORDS, words - chunk * CHUNK_WORDS);
}

function swapped(word: number): number {
  const bytes = new DataView(new ArrayBuffer(4));
  bytes.setUint32(0, word, true);
  return bytes.getUint32(0, false);
}
