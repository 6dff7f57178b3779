// A file of lines that is rotated by size: `audit.log` becomes `audit.log.1`, and so on. Writing
// never blocks: lines that a slow or full disk cannot accept are dropped and counted.

import {
  createWriteStream,
  existsSync,
  fstatSync,
  openSync,
  renameSync,
  type WriteStream,
} from "node:fs";
import { finished } from "node:stream/promises";

/** Lines may contain private data. */
const OWNER_ONLY = 0o600;
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
const REOPEN_AFTER_MS = 1000;

export interface RotatingFileOptions {
  /** Size at which a file is rotated. */
  readonly maxBytes: number;
  /** Number of rotated files that are kept. */
  readonly rotated: number;
}

export class RotatingFile {
  readonly #path: string;
  readonly #options: RotatingFileOptions;
  readonly #onFailure: (reason: string) => void;
  #file: WriteStream | null = null;
  #left = 0;
  #openedAtMs = 0;
  #lost = 0;
  /** Resolves once the rotated files are written. */
  #rotated: Promise<void> = Promise.resolve();

  /** @param onFailure called when the file can no longer be written */
  constructor(path: string, options: RotatingFileOptions, onFailure: (reason: string) => void) {
    this.#path = path;
    this.#options = options;
    this.#onFailure = onFailure;
  }

  /** @throws Error of the system if the file cannot be opened */
  open(): void {
    this.#openedAtMs = performance.now();
    const fd = openSync(this.#path, "a", OWNER_ONLY);
    const { size } = fstatSync(fd);
    const file = createWriteStream(this.#path, { fd, highWaterMark: MAX_WAITING_BYTES });
    file.on("error", (error) => {
      if (this.#file !== file) return;
      this.#file = null;
      this.#onFailure(error.message);
    });
    this.#file = file;
    this.#left = this.#options.maxBytes - size;
    // A crashed process may have left an incomplete line.
    if (size > 0) this.#put("");
  }

  /** Writes a line. Returns the number of lines lost before it; -1 if it is lost itself. */
  write(line: string): number {
    if (!this.#isReady() || this.#file!.writableLength > MAX_WAITING_BYTES) {
      this.#lost++;
      return -1;
    }
    const lost = this.#lost;
    this.#lost = 0;
    this.#put(line, (error) => {
      if (error) this.#lost++;
    });
    return lost;
  }

  /**
   * Resolves once everything is passed to the system, or has failed.
   * @returns the number of lost lines that `write` has not returned
   */
  async close(): Promise<number> {
    const file = this.#file;
    this.#file = null;
    if (file !== null) await end(file);
    await this.#rotated;
    return this.#lost;
  }

  #put(line: string, onWritten: (error?: Error | null) => void = () => undefined): void {
    this.#left -= Buffer.byteLength(line) + 1;
    this.#file!.write(`${line}\n`, onWritten);
  }

  /** Rotates a full file, and reopens a failed one after a while. */
  #isReady(): boolean {
    if (this.#file !== null && this.#left > 0) return true;
    const isFull = this.#file !== null;
    if (!isFull && performance.now() - this.#openedAtMs < REOPEN_AFTER_MS) return false;
    try {
      if (isFull) this.#rotate();
      this.open();
    } catch (error) {
      // A file that cannot be renamed keeps growing, which is better than losing lines.
      this.#left = this.#options.maxBytes;
      this.#onFailure((error as Error).message);
    }
    return this.#file !== null;
  }

  /** @throws Error of the system if a file cannot be renamed; the file stays open */
  #rotate(): void {
    for (let number = this.#options.rotated; number > 0; number--) {
      const from = number === 1 ? this.#path : `${this.#path}.${number - 1}`;
      if (existsSync(from)) renameSync(from, `${this.#path}.${number}`);
    }
    const earlier = this.#rotated;
    this.#rotated = end(this.#file!).then(() => earlier);
    this.#file = null;
  }
}

/** Resolves once everything is passed to the system, or has failed. */
async function end(file: WriteStream): Promise<void> {
  file.end();
  await finished(file).catch(() => {});
}
