// Reads a snapshot file, or a delta over its base. Header and table are validated on opening, each
// chunk when it is read, so no corruption of significant bytes goes unnoticed.

import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import { assert } from "../../../base/assert.js";
import { ARENAS, HEADER_WORDS, Header } from "../../memory/layout.js";
import { usedWordsInArena } from "../../memory/used-words.js";
import { SnapshotFiles } from "./snapshot-files.js";
import {
  CorruptSnapshotError,
  chunkWords,
  countChunks,
  decodeHeader,
  isSameSnapshot,
  PAGE_BYTES,
  type SnapshotHeader,
  type StoredArena,
  TABLE_ENTRY_BYTES,
} from "./snapshot-format.js";

const ENTRY_WORDS = TABLE_ENTRY_BYTES / 4;
/** Maximum chunks per read: 1 MiB, which still is in the CPU cache for its checksum. */
const MAX_CHUNKS = 64;

export class SnapshotReader {
  readonly header: SnapshotHeader;
  readonly #descriptor: number;
  /** Snapshot of which the file is a delta. */
  readonly #base: SnapshotReader | null;
  readonly #table: Uint32Array;
  /** First table entry of each arena. */
  readonly #firstEntry: readonly number[];

  /**
   * @param base snapshot of which the file is a delta; it is closed with this reader
   * @throws CorruptSnapshotError, DataError, or file system errors
   */
  constructor(file: string, base: SnapshotReader | null = null) {
    this.#descriptor = openSync(file, "r");
    this.#base = base;
    try {
      this.header = readHeader(this.#descriptor);
      this.#checkBase();
      const firstEntry: number[] = [];
      let entries = 0;
      for (const { words } of this.header.arenas) {
        firstEntry.push(entries);
        entries += countChunks(words);
      }
      this.#firstEntry = firstEntry;
      this.#table = readTable(this.#descriptor, this.header, entries);
      this.#validatePages();
    } catch (error) {
      closeSync(this.#descriptor);
      throw error;
    }
  }

  /** Returns whether a chunk is in this file, not in the base. */
  hasChunk(arena: number, chunk: number): boolean {
    return this.#findPage(arena, chunk) !== 0;
  }

  /**
   * Reads an arena from its start.
   * @param arena index in the file
   * @param into has room for its words
   * @throws CorruptSnapshotError
   */
  readArena(arena: number, into: Uint32Array): void {
    const { words } = this.header.arenas[arena]!;
    assert(into.length >= words, "the target has room for the arena");
    const bytes = new Uint8Array(into.buffer, into.byteOffset, words * 4);
    for (const [first, end] of this.#runs(arena)) {
      const run = bytes.subarray(first * PAGE_BYTES, end * PAGE_BYTES);
      if (this.hasChunk(arena, first)) this.#readRun(arena, first, run);
      else this.#base!.#readRun(this.#placeInBase(arena), first, run);
    }
  }

  /**
   * Validates the whole file, without the base, yielding after each run.
   * @throws CorruptSnapshotError
   */
  *check(): Generator<undefined, void, void> {
    const { arenas } = this.header;
    const header = new Uint32Array(HEADER_WORDS);
    this.readArena(ARENAS.indexOf("header"), header);
    validateArenaExtents(header, arenas);
    const bytes = new Uint8Array(MAX_CHUNKS * PAGE_BYTES);
    for (const [arena, { words }] of arenas.entries()) {
      for (const [first, end] of this.#runs(arena)) {
        if (!this.hasChunk(arena, first)) continue;
        const length = Math.min(end * PAGE_BYTES, words * 4) - first * PAGE_BYTES;
        this.#readRun(arena, first, bytes.subarray(0, length));
        yield;
      }
    }
  }

  /** Yields runs of consecutive pages to read at once: first and end chunk. */
  *#runs(arena: number): Generator<readonly [first: number, end: number], void, void> {
    const chunks = countChunks(this.header.arenas[arena]!.words);
    for (let chunk = 0, next = 0; chunk < chunks; chunk = next) {
      const page = this.#findPage(arena, chunk);
      if (page === 0) {
        // The base decides which of its chunks are consecutive.
        next = chunk + 1;
        yield [chunk, next];
        continue;
      }
      for (next = chunk + 1; next < chunks && next < chunk + MAX_CHUNKS; next++) {
        if (this.#findPage(arena, next) !== page + next - chunk) break;
      }
      yield [chunk, next];
    }
  }

  #readRun(arena: number, first: number, bytes: Uint8Array): void {
    readAt(this.#descriptor, this.#findPage(arena, first) * PAGE_BYTES, bytes);
    for (let at = 0, chunk = first; at < bytes.length; at += PAGE_BYTES, chunk++) {
      this.#check(arena, chunk, bytes.subarray(at, at + PAGE_BYTES));
    }
  }

  /** Returns the CRC-32 of a page whose first bytes have been read. */
  #pageChecksum(page: number, bytes: Uint8Array): number {
    const checksum = crc32(bytes);
    if (bytes.length === PAGE_BYTES || this.header.version === 1) return checksum;
    const filling = new Uint8Array(PAGE_BYTES - bytes.length);
    readAt(this.#descriptor, page * PAGE_BYTES + bytes.length, filling);
    return crc32(filling, checksum);
  }

  close(): void {
    closeSync(this.#descriptor);
    this.#base?.close();
  }

  /** @throws CorruptSnapshotError if the file is not a delta of the base */
  #checkBase(): void {
    const { base } = this.header;
    const isDelta = base !== null && this.#base !== null;
    if (isDelta ? isSameSnapshot(base, this.#base!.header) : base === null && this.#base === null) {
      return;
    }
    throw new CorruptSnapshotError("delta of another snapshot");
  }

  /** Returns the index of an arena in the base; -1 if it is not there. */
  #placeInBase(arena: number): number {
    const { name } = this.header.arenas[arena]!;
    return this.#base!.header.arenas.findIndex((stored) => stored.name === name);
  }

  /** Returns whether the base has a chunk of the same length. */
  #isInBase(arena: number, chunk: number): boolean {
    const position = this.#base === null ? -1 : this.#placeInBase(arena);
    if (position < 0) return false;
    const { words } = this.#base!.header.arenas[position]!;
    return chunkWords(words, chunk) === chunkWords(this.header.arenas[arena]!.words, chunk);
  }

  #check(arena: number, chunk: number, bytes: Uint8Array): void {
    const entry = this.#firstEntry[arena]! + chunk;
    const checksum = this.#pageChecksum(this.#findPage(arena, chunk), bytes);
    if (checksum === this.#table[entry * ENTRY_WORDS + 1]) return;
    const { name } = this.header.arenas[arena]!;
    throw new CorruptSnapshotError(`chunk ${chunk} of "${name}" is corrupt`);
  }

  #findPage(arena: number, chunk: number): number {
    return this.#table[(this.#firstEntry[arena]! + chunk) * ENTRY_WORDS]!;
  }

  /** Checks that all chunks lie in the file and do not exceed its size. */
  #validatePages(): void {
    const { tablePage } = this.header;
    let isInside = true;
    let stored = 0;
    for (const [arena, { words }] of this.header.arenas.entries()) {
      for (let chunk = 0; chunk < countChunks(words); chunk++) {
        const page = this.#findPage(arena, chunk);
        if (page !== 0) stored++;
        if (page >= tablePage || (page === 0 && !this.#isInBase(arena, chunk))) isInside = false;
      }
    }
    if (!isInside || stored >= tablePage)
      throw new CorruptSnapshotError("section offsets are out of range");
  }
}

/**
 * Returns a reader of a delta over its base.
 * @throws CorruptSnapshotError, DataError, or file system errors
 */
export function openDelta(file: string, base: string): SnapshotReader {
  const reader = new SnapshotReader(base);
  try {
    return new SnapshotReader(file, reader);
  } catch (error) {
    reader.close();
    throw error;
  }
}

/**
 * Returns the header of a file.
 * @throws CorruptSnapshotError, DataError, or file system errors
 */
export function readSnapshotHeader(file: string): SnapshotHeader {
  const descriptor = openSync(file, "r");
  try {
    return readHeader(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function readHeader(descriptor: number): SnapshotHeader {
  const page = new Uint8Array(PAGE_BYTES);
  readAt(descriptor, 0, page);
  return decodeHeader(page);
}

function readTable(descriptor: number, header: SnapshotHeader, entries: number): Uint32Array {
  const bytes = entries * TABLE_ENTRY_BYTES;
  if (fstatSync(descriptor).size !== header.tablePage * PAGE_BYTES + bytes) {
    throw new CorruptSnapshotError("unexpected file size");
  }
  const table = new Uint8Array(bytes);
  readAt(descriptor, header.tablePage * PAGE_BYTES, table);
  if (crc32(table) !== header.tableChecksum) throw new CorruptSnapshotError("corrupt chunk table");
  return new Uint32Array(table.buffer);
}

function readAt(descriptor: number, position: number, into: Uint8Array): void {
  for (let done = 0; done < into.length; ) {
    const count = readSync(descriptor, into, done, into.length - done, position + done);
    if (count === 0) throw new CorruptSnapshotError("truncated file");
    done += count;
  }
}

/**
 * Returns the operation count that both snapshots contain: if the current one is corrupt, the
 * previous one is loaded. 0 if there are fewer than two.
 * @param isLow true if only the current one counts, because the disk has little space left
 */
export function snapshotCounts(folder: string, name: string, isLow = false): number {
  const { current, previous } = new SnapshotFiles(folder);
  if (isLow && !existsSync(previous)) return countInFile(current, name);
  return Math.min(countInFile(current, name), countInFile(previous, name));
}

function countInFile(file: string, name: string): number {
  try {
    const header = readSnapshotHeader(file);
    return header.name === name ? header.operationCount : 0;
  } catch {
    // An unreadable file contains nothing.
    return 0;
  }
}

/**
 * Checks that the extents in the graph header match those in the file. Checksums detect corruption;
 * this check detects files that were written incorrectly.
 * @param words graph header, in the order of `ARENAS`
 * @param arenas arenas in the file
 * @throws CorruptSnapshotError
 */
export function validateArenaExtents(words: Uint32Array, arenas: readonly StoredArena[]): void {
  const isWhole = ARENAS.every((name, id) => {
    const stored = arenas.find((arena) => arena.name === name);
    if (stored === undefined) return true;
    const used = usedWordsInArena(words, name, id);
    // These end at the highest vertex that ever had properties or a vector.
    const isPart = name === "groups" || name === "vectorSlots" || name === "textVersions";
    return isPart ? stored.words <= used : stored.words === used;
  });
  const handleEnd = words[Header.HandleEnd]!;
  if (
    !isWhole ||
    handleEnd < 1 ||
    words[Header.FreeHandle]! >= handleEnd ||
    words[Header.Order]! >= handleEnd ||
    words[Header.Unfinished] !== 0
  ) {
    throw new CorruptSnapshotError("inconsistent sections");
  }
}
