// Writes a snapshot file, or a delta of one. Chunks come in any order, and again after changes; the
// file cannot be loaded before `finish`.

import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import { assert } from "../../../base/assert.js";
import { ARENAS } from "../../memory/layout.js";
import {
  chunkWords,
  countChunks,
  encodeHeader,
  PAGE_BYTES,
  type SnapshotHeader,
  type SnapshotPoint,
} from "./snapshot-format.js";

/** Chunks of one arena as last written, by index. */
interface WrittenChunks {
  readonly pages: number[];
  readonly checksums: number[];
  readonly bytes: number[];
}

export class SnapshotWriter {
  readonly descriptor: number;
  readonly #file: string;
  readonly #base: SnapshotHeader | null;
  /** Words of each arena in the base. */
  readonly #baseWords: readonly number[];
  readonly #chunks: readonly WrittenChunks[];
  readonly #zeros = new Uint8Array(PAGE_BYTES);
  #nextPage = 1;
  #isOpen = true;

  /** @param base snapshot of which the file is a delta */
  constructor(file: string, base: SnapshotHeader | null = null) {
    this.#file = file;
    this.#base = base;
    this.#baseWords = ARENAS.map((name) => {
      return base?.arenas.find((arena) => arena.name === name)?.words ?? 0;
    });
    this.#chunks = ARENAS.map(() => ({ pages: [], checksums: [], bytes: [] }));
    this.descriptor = openSync(file, "w");
  }

  /**
   * Returns the words of a chunk as last written, 0 if never.
   * @param isInBase whether the chunk of the base is current
   */
  wordsWritten(arena: number, chunk: number, isInBase = true): number {
    const bytes = this.#chunks[arena]!.bytes[chunk];
    if (bytes !== undefined) return bytes / 4;
    return isInBase ? Math.max(0, chunkWords(this.#baseWords[arena]!, chunk)) : 0;
  }

  /** Writes consecutive chunks. If they change during the write, they must be written again. */
  write(arena: number, chunk: number, words: Uint32Array): void {
    const all = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    assert(this.#isOpen && words.length > 0, "chunks are written to an open file");
    const { pages, checksums, bytes } = this.#chunks[arena]!;
    let first = 0;
    let firstPage = pages[chunk] ?? this.#nextPage;
    for (let at = 0, index = chunk; at < all.length; at += PAGE_BYTES, index++) {
      const part = all.subarray(at, at + PAGE_BYTES);
      const page = pages[index] ?? this.#nextPage++;
      pages[index] = page;
      const filling = this.#zeros.subarray(part.length);
      checksums[index] = crc32(filling, crc32(part));
      bytes[index] = part.length;
      if (filling.length > 0) this.#writeAt(page * PAGE_BYTES + part.length, filling);
      if (page === firstPage + (at - first) / PAGE_BYTES) continue;
      this.#writeAt(firstPage * PAGE_BYTES, all.subarray(first, at));
      first = at;
      firstPage = page;
    }
    this.#writeAt(firstPage * PAGE_BYTES, all.subarray(first));
  }

  /**
   * Writes table and header once all chunks have been written. Does not flush.
   * @returns number of bytes of the file
   */
  finish(header: SnapshotPoint): number {
    const entries: number[] = [];
    header.arenas.forEach(({ words }, arena) => {
      const { pages, checksums, bytes } = this.#chunks[arena]!;
      for (let chunk = 0; chunk < countChunks(words); chunk++) {
        assert(
          this.wordsWritten(arena, chunk) === chunkWords(words, chunk),
          "every chunk was written",
        );
        if (bytes[chunk] === undefined) entries.push(0, 0);
        else entries.push(pages[chunk]!, checksums[chunk]!);
      }
    });
    const table = new Uint8Array(Uint32Array.from(entries).buffer);
    const tablePage = this.#nextPage;
    const tableChecksum = crc32(table);
    this.#writeAt(tablePage * PAGE_BYTES, table);
    this.#writeAt(0, encodeHeader({ ...header, base: this.#base, tablePage, tableChecksum }));
    return tablePage * PAGE_BYTES + table.length;
  }

  close(): void {
    if (this.#isOpen) closeSync(this.descriptor);
    this.#isOpen = false;
  }

  /** Closes and removes the file. */
  discard(): void {
    this.close();
    rmSync(this.#file, { force: true });
  }

  #writeAt(position: number, bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      const rest = bytes.length - done;
      done += writeSync(this.descriptor, bytes, done, rest, position + done);
    }
  }
}
