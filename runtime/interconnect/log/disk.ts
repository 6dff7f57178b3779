// File system interface of the transaction log. Tests substitute disks that fail or forget
// unflushed writes.

import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  statfsSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { flushData } from "../../base/async-calls.js";
import { fsyncDirectory, mkdirDurable } from "../../base/durable-files.js";
import { SvcError } from "../../base/errors.js";

export interface DiskFile {
  /** Length in bytes. */
  size(): number;
  /** Reads up to `into.length` bytes; returns how many. */
  read(into: Uint8Array, position: number): number;
  /** Writes all bytes or throws. */
  write(bytes: Uint8Array, position: number): void;
  /** Resolves when all writes are durable. */
  flush(): Promise<void>;
  flushNow(): void;
  truncate(bytes: number): void;
  close(): void;
}

export interface Disk {
  /** Returns the names in a folder; none if it is missing. @throws SvcError SVC2504, SVC3093 */
  names(folder: string): string[];
  /** Creates a folder durably if it is missing. */
  makeFolder(folder: string): void;
  /** Opens an existing file. @throws SvcError SVC2504, SVC3093 */
  open(path: string, mode: "read" | "write"): DiskFile;
  /** Creates a file, or truncates an existing one. */
  create(path: string): DiskFile;
  remove(path: string): void;
  /** Makes files created and removed in a folder durable. */
  flushFolder(folder: string): void;
  /** Returns the bytes that this process can allocate; infinite if unknown. */
  freeBytes(folder: string): number;
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
    return flushData(this.#descriptor);
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
  freeBytes(folder) {
    try {
      const { bavail, bsize } = statfsSync(folder);
      return bavail * bsize;
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  },
};

/** This user cannot access the file, or a part of its path is not a folder. */
const INACCESSIBLE = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR"]);
const OUT_OF_FILES = new Set(["EMFILE", "ENFILE"]);

/** Wraps errors of permissions and file limits, which are not corruption; returns others as is. */
export function openingError(error: unknown): unknown {
  const { code = "", message } = error as NodeJS.ErrnoException;
  const text = `log cannot be opened: ${message}`;
  if (INACCESSIBLE.has(code)) return new SvcError("SVC2504", text, { cause: error });
  return OUT_OF_FILES.has(code) ? new SvcError("SVC3093", text, { cause: error }) : error;
}
