// What the log wants of a file system, so that tests can put another one in its place: one that
// forgets what was not flushed, or fails.

import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { promisify } from "node:util";
import { fsyncDirectory, mkdirDurable } from "../../base/durable-files.js";
import { openingError } from "./log-errors.js";

const flush = promisify(fdatasync);

export interface DiskFile {
  /** Length in bytes. */
  size(): number;
  /** Fills the buffer as far as the file reaches; returns how many bytes. */
  read(into: Uint8Array, position: number): number;
  /** All of it, or an error. */
  write(bytes: Uint8Array, position: number): void;
  /** Resolves when all that was written is safe. */
  flush(): Promise<void>;
  flushNow(): void;
  truncate(bytes: number): void;
  close(): void;
}

export interface Disk {
  /** Names in a folder, none where it is missing. @throws SvcError SVC2504, SVC3093 */
  names(folder: string): string[];
  /** Makes a folder where it is missing, for good. */
  makeFolder(folder: string): void;
  /** Opens a file that is there. @throws SvcError SVC2504, SVC3093 */
  open(path: string, mode: "read" | "write"): DiskFile;
  /** Makes an empty file; one that is there is emptied. */
  create(path: string): DiskFile;
  remove(path: string): void;
  /** Makes what was created and removed in a folder safe. */
  flushFolder(folder: string): void;
}

class RealFile implements DiskFile {
  readonly #descriptor: number;

  constructor(path: string, flags: string) {
    this.#descriptor = openSync(path, flags, 0o600);
  }

  size(): number {
    return fstatSync(this.#descriptor).size;
  }

  read(into: Uint8Array, position: number): number {
    let done = 0;
    while (done < into.length) {
      const read = readSync(this.#descriptor, into, done, into.length - done, position + done);
      if (read === 0) break;
      done += read;
    }
    return done;
  }

  write(bytes: Uint8Array, position: number): void {
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(this.#descriptor, bytes, done, bytes.length - done, position + done);
    }
  }

  flush(): Promise<void> {
    return flush(this.#descriptor);
  }

  flushNow(): void {
    fdatasyncSync(this.#descriptor);
  }

  truncate(bytes: number): void {
    ftruncateSync(this.#descriptor, bytes);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

export const realDisk: Disk = {
  names(folder) {
    try {
      return readdirSync(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw openingError(error);
    }
  },
  makeFolder: (folder) => mkdirDurable(folder, 0o700),
  open(path, mode) {
    try {
      return new RealFile(path, mode === "read" ? "r" : "r+");
    } catch (error) {
      throw openingError(error);
    }
  },
  create: (path) => new RealFile(path, "w+"),
  remove: (path) => unlinkSync(path),
  flushFolder: fsyncDirectory,
};
