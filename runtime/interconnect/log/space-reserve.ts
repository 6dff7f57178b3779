// Disk space that the transaction log reserves by a file. When the disk is full, the log deletes
// the file, so that changes that are already visible become durable. Its contents are random,
// because zeros would take no space on a file system that compresses.

import { randomFillSync } from "node:crypto";
import { join } from "node:path";
import type { Disk } from "./disk.js";

const NAME = "reserve";
/** Room for the transactions of one flush; further ones wait in memory until there is space. */
const RESERVE_BYTES = 2 ** 22;
const CHUNK_BYTES = 2 ** 16;
/** Full disk, or exhausted quota. */
const OUT_OF_SPACE = new Set(["ENOSPC", "EDQUOT"]);

export function isOutOfSpace(error: unknown): boolean {
  const { code = "" } = Object(error) as NodeJS.ErrnoException;
  return OUT_OF_SPACE.has(code);
}

export class SpaceReserve {
  readonly #disk: Disk;
  readonly #folder: string;

  /** @param folder of the transaction log, which may not exist yet */
  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#folder = folder;
  }

  /** Creates the file unless it exists; returns false if there is no space for it. */
  create(): boolean {
    try {
      return this.#isComplete() || this.#write();
    } catch {
      this.release();
      return false;
    }
  }

  /** Returns the space to the file system. */
  release(): void {
    try {
      if (this.#disk.names(this.#folder).includes(NAME)) this.#disk.remove(this.#path);
    } catch {
      // The next write fails as well, and the log reports it.
    }
  }

  get #path(): string {
    return join(this.#folder, NAME);
  }

  /** Returns whether an earlier process created the whole file. */
  #isComplete(): boolean {
    if (!this.#disk.names(this.#folder).includes(NAME)) return false;
    const file = this.#disk.open(this.#path, "read");
    try {
      return file.size() === RESERVE_BYTES;
    } finally {
      file.close();
    }
  }

  #write(): true {
    const chunk = randomFillSync(Buffer.alloc(CHUNK_BYTES));
    const file = this.#disk.create(this.#path);
    try {
      for (let at = 0; at < RESERVE_BYTES; at += CHUNK_BYTES) file.write(chunk, at);
      file.flushNow();
    } finally {
      file.close();
    }
    return true;
  }
}
