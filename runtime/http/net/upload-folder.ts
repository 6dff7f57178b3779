// Folder of request bodies on disk, below the system's folder for temporary files. A body is
// removed with its request, and the folder of a killed server when the next server starts.

import { createWriteStream, mkdtempSync, rmSync, type WriteStream } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MAX_UPLOAD_AHEAD_BYTES } from "../../base/limits.js";
import { log } from "../../base/log.js";
import { processExists } from "../../base/process-exists.js";
import type { Upload } from "../../plugin/contract/request-source.js";

const PREFIX = "svc-uploads-";
const NAME = /^svc-uploads-(\d+)-/;
/** Share of the space that the bodies of one client may take. */
const CLIENT_SHARE = 1 / 2;

/** The account of a client. */
export interface UploadClient {
  uploadBytes: number;
}

export class UploadFolder {
  /** Total bytes of all bodies. */
  used = 0;
  readonly #maxBytes: number;
  #path: string | null = null;
  #count = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Creates a file for a body.
   * @param progress called after bytes were written, and when writing failed
   */
  create(client: UploadClient, progress: () => void): UploadedBody {
    this.#path ??= mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
    return new UploadedBody(join(this.#path, String(this.#count++)), this, client, progress);
  }

  /** Reserves space for a client; false if too little is left. */
  take(client: UploadClient, bytes: number): boolean {
    if (this.used + bytes > this.#maxBytes) return false;
    if (client.uploadBytes + bytes > this.#maxBytes * CLIENT_SHARE) return false;
    this.used += bytes;
    client.uploadBytes += bytes;
    return true;
  }

  give(client: UploadClient, bytes: number): void {
    this.used -= bytes;
    client.uploadBytes -= bytes;
  }

  close(): void {
    if (this.#path !== null) rmSync(this.#path, { recursive: true, force: true });
    this.#path = null;
  }
}

/** A body on disk; it holds its space until it is removed. */
export class UploadedBody implements Upload {
  size = 0;
  failure: Error | null = null;
  readonly #folder: UploadFolder;
  readonly #client: UploadClient;
  readonly #stream: WriteStream;
  #isRemoved = false;

  constructor(
    readonly path: string,
    folder: UploadFolder,
    client: UploadClient,
    progress: () => void,
  ) {
    this.#folder = folder;
    this.#client = client;
    const highWaterMark = MAX_UPLOAD_AHEAD_BYTES;
    this.#stream = createWriteStream(path, { flags: "wx", mode: 0o600, highWaterMark });
    this.#stream.on("drain", progress).on("finish", progress);
    this.#stream.on("error", (error) => {
      this.failure = error;
      if (!this.#isRemoved) log(`upload failed: ${error.message}`, "error");
      progress();
    });
    this.#stream.on("close", () => {
      if (this.#isRemoved) this.#unlink();
    });
  }

  /** Adds bytes, which must not change afterwards; false if too little space is left. */
  write(bytes: Uint8Array): boolean {
    if (!this.#folder.take(this.#client, bytes.length)) return false;
    this.size += bytes.length;
    this.#stream.write(bytes);
    return true;
  }

  /** True while reading must wait for the disk. */
  get isBehind(): boolean {
    return this.failure === null && this.#stream.writableNeedDrain;
  }

  /** True once all bytes are in the file. */
  get isComplete(): boolean {
    return this.#stream.writableFinished;
  }

  end(): void {
    if (!this.#stream.writableEnded) this.#stream.end();
  }

  remove(): void {
    if (this.#isRemoved) return;
    this.#isRemoved = true;
    this.#folder.give(this.#client, this.size);
    if (this.#stream.closed) this.#unlink();
    else this.#stream.destroy();
  }

  #unlink(): void {
    rm(this.path, { force: true }).catch(() => {});
  }
}

/** Removes the folders of processes that were killed. */
export async function removeAbandonedUploads(): Promise<void> {
  const startedMs = Date.now() - process.uptime() * 1000;
  const names = await readdir(tmpdir()).catch((): string[] => []);
  for (const name of names) {
    const pid = Number(NAME.exec(name)?.[1]);
    if (Number.isNaN(pid)) continue;
    const path = join(tmpdir(), name);
    if (pid === process.pid ? await isOlder(path, startedMs) : !processExists(pid)) {
      // Folders of other users cannot and must not be removed.
      await rm(path, { recursive: true, force: true }).catch(() => {});
    }
  }
}

/** Checks the age, because servers in containers can have equal process ids. */
async function isOlder(path: string, ms: number): Promise<boolean> {
  return stat(path).then(
    ({ birthtimeMs }) => birthtimeMs < ms,
    () => false,
  );
}
