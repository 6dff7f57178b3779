// Compressed contents of files, the last that were asked for: a file is compressed once, however
// many ask for it, and anew when it has changed. Of files that compression does not make shorter,
// only that is remembered.

import { readFile } from "node:fs/promises";
import { MAX_COMPRESSED_FILES_BYTES } from "../base/limits.js";
import type { Compressor } from "./compressor.js";
import type { ContentCoding } from "./content-coding.js";

/** Paths are of bounded length, and of files that are there. */
const MAX_USELESS_FILES = 1000;

export class CompressedFiles {
  readonly #compressor: Compressor;
  /** The one that was not asked for for longest comes first. */
  readonly #contents = new Map<string, Uint8Array>();
  readonly #pending = new Map<string, Promise<Uint8Array | null>>();
  /** Keys of those that do not get shorter, the oldest first. */
  readonly #useless = new Set<string>();
  #bytes = 0;

  constructor(compressor: Compressor) {
    this.#compressor = compressor;
  }

  /**
   * @param path of the file, with all links resolved
   * @param tag changes with the content and differs for each coding
   * @returns null where it cannot be had compressed
   */
  find(
    path: string,
    tag: string,
    size: number,
    coding: ContentCoding,
  ): Promise<Uint8Array | null> | Uint8Array | null {
    const key = `${tag} ${path}`;
    if (this.#useless.has(key)) return null;
    const kept = this.#contents.get(key);
    if (kept !== undefined) {
      this.#contents.delete(key);
      this.#contents.set(key, kept);
      return kept;
    }
    let pending = this.#pending.get(key);
    if (pending === undefined) {
      pending = this.#make(key, path, size, coding).finally(() => this.#pending.delete(key));
      this.#pending.set(key, pending);
    }
    return pending;
  }

  async #make(
    key: string,
    path: string,
    size: number,
    coding: ContentCoding,
  ): Promise<Uint8Array | null> {
    const bytes = await readFile(path).catch(() => null);
    // Another content than the tag tells of: it is being written.
    if (bytes?.length !== size) return null;
    const content = await this.#compressor.compress(coding, bytes);
    if (content === "useless") this.#remember(key);
    if (typeof content === "string") return null;
    this.#keep(key, content);
    return content;
  }

  #remember(key: string): void {
    this.#useless.add(key);
    if (this.#useless.size <= MAX_USELESS_FILES) return;
    for (const oldest of this.#useless) {
      this.#useless.delete(oldest);
      return;
    }
  }

  #keep(key: string, content: Uint8Array): void {
    this.#contents.set(key, content);
    this.#bytes += content.length;
    for (const [oldest, { length }] of this.#contents) {
      if (this.#bytes <= MAX_COMPRESSED_FILES_BYTES) return;
      this.#contents.delete(oldest);
      this.#bytes -= length;
    }
  }
}
