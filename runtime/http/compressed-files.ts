// LRU cache of compressed files. A file is compressed once per version, however many clients
// request it. For files that compression does not shorten, only that fact is cached.

import { readFile } from "node:fs/promises";
import { MAX_COMPRESSED_FILES_BYTES } from "../base/limits.js";
import type { Compressor } from "./compressor.js";
import type { ContentCoding } from "./content-coding.js";

/** Bounds memory: each entry is the path of an existing file. */
const MAX_INCOMPRESSIBLE_FILES = 1000;

export class CompressedFiles {
  readonly #compressor: Compressor;
  /** In LRU order, least recently used first. */
  readonly #contents = new Map<string, Uint8Array>();
  readonly #pending = new Map<string, Promise<Uint8Array | null>>();
  /** Keys of files that compression does not shorten, oldest first. */
  readonly #incompressible = new Set<string>();
  #bytes = 0;

  constructor(compressor: Compressor) {
    this.#compressor = compressor;
  }

  /**
   * @param path of the file, with all links resolved
   * @param tag validator of the content, different for each coding
   * @returns null if no compressed form is available
   */
  find(
    path: string,
    tag: string,
    size: number,
    coding: ContentCoding,
  ): Promise<Uint8Array | null> | Uint8Array | null {
    const key = `${tag} ${path}`;
    if (this.#incompressible.has(key)) return null;
    const cached = this.#contents.get(key);
    if (cached !== undefined) {
      this.#contents.delete(key);
      this.#contents.set(key, cached);
      return cached;
    }
    let pending = this.#pending.get(key);
    if (pending === undefined) {
      pending = this.#compressFile(key, path, size, coding).finally(() =>
        this.#pending.delete(key),
      );
      this.#pending.set(key, pending);
    }
    return pending;
  }

  async #compressFile(
    key: string,
    path: string,
    size: number,
    coding: ContentCoding,
  ): Promise<Uint8Array | null> {
    const bytes = await readFile(path).catch(() => null);
    // The file is being written: its size no longer matches the tag.
    if (bytes?.length !== size) return null;
    const content = await this.#compressor.compress(coding, bytes);
    if (content === "useless") this.#addIncompressible(key);
    if (typeof content === "string") return null;
    this.#add(key, content);
    return content;
  }

  #addIncompressible(key: string): void {
    this.#incompressible.add(key);
    if (this.#incompressible.size <= MAX_INCOMPRESSIBLE_FILES) return;
    for (const oldest of this.#incompressible) {
      this.#incompressible.delete(oldest);
      return;
    }
  }

  #add(key: string, content: Uint8Array): void {
    this.#contents.set(key, content);
    this.#bytes += content.length;
    for (const [oldest, { length }] of this.#contents) {
      if (this.#bytes <= MAX_COMPRESSED_FILES_BYTES) return;
      this.#contents.delete(oldest);
      this.#bytes -= length;
    }
  }
}
