// A snapshot file being written. Chunks come in any order, and again when they have changed since;
// it is nothing that can be loaded before `finish`.

import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import { InternalError } from "../errors.js";
import { CHUNKS_PER_ARENA } from "../memory/layout.js";
import {
  chunksOf,
  encodeHeader,
  PAGE_BYTES,
  pagesOf,
  type SnapshotHeader,
  wordsOfChunk,
} from "./snapshot-format.js";

/** Where a chunk lies in the file, as it was last written. */
interface WrittenChunk {
  page: number;
  pages: number;
  words: number;
  checksum: number;
}

export class SnapshotWriter {
  readonly descriptor: number;
  readonly #file: string;
  readonly #chunks = new Map<number, WrittenChunk>();
  #nextPage = 1;
  #isOpen = true;

  constructor(file: string) {
    this.#file = file;
    this.descriptor = openSync(file, "w");
  }

  /** Words of a chunk as it was last written, 0 if it was not. */
  wordsWritten(arena: number, chunk: number): number {
    return this.#chunks.get(keyOf(arena, chunk))?.words ?? 0;
  }

  /** The words may change meanwhile; then the chunk has to be written again. */
  write(arena: number, chunk: number, words: Uint32Array): void {
    const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    const pages = pagesOf(bytes.length);
    const before = this.#chunks.get(keyOf(arena, chunk));
    const place = before !== undefined && before.pages >= pages ? before : this.#allocate(pages);
    this.#chunks.set(keyOf(arena, chunk), {
      ...place,
      words: words.length,
      checksum: crc32(bytes),
    });
    this.#writeAt(place.page, bytes);
  }

  /**
   * Writes table and header; all chunks of the arenas must have been written. The file is not
   * flushed yet.
   * @returns number of bytes of the file
   */
  finish(header: Omit<SnapshotHeader, "tablePage" | "tableChecksum">): number {
    const entries: number[] = [];
    header.arenaWords.forEach((words, arena) => {
      for (let chunk = 0; chunk < chunksOf(words); chunk++) {
        const written = this.#chunks.get(keyOf(arena, chunk));
        if (written?.words !== wordsOfChunk(words, chunk)) throw new InternalError("lost chunk");
        entries.push(written.page, written.checksum);
      }
    });
    const table = new Uint8Array(Uint32Array.from(entries).buffer);
    const tablePage = this.#nextPage;
    this.#writeAt(tablePage, table);
    this.#writeAt(0, encodeHeader({ ...header, tablePage, tableChecksum: crc32(table) }));
    return tablePage * PAGE_BYTES + table.length;
  }

  close(): void {
    if (this.#isOpen) closeSync(this.descriptor);
    this.#isOpen = false;
  }

  /** Closes and removes it. */
  discard(): void {
    this.close();
    rmSync(this.#file, { force: true });
  }

  #allocate(pages: number): { page: number; pages: number } {
    const page = this.#nextPage;
    this.#nextPage += pages;
    return { page, pages };
  }

  #writeAt(page: number, bytes: Uint8Array): void {
    const position = page * PAGE_BYTES;
    for (let done = 0; done < bytes.length; ) {
      const rest = bytes.length - done;
      done += writeSync(this.descriptor, bytes, done, rest, position + done);
    }
  }
}

function keyOf(arena: number, chunk: number): number {
  return arena * CHUNKS_PER_ARENA + chunk;
}
