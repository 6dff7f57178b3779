// Collects the bytes of one request body. Small bodies become latin1 text, larger ones fill shared
// memory that executors read without copying, and large ones with files go to disk. Memory grows
// with the bytes received, never with the declared length, and all bodies share one budget.

import { IdleGc } from "../../base/idle-gc.js";
import { INLINE_BODY_BYTES, MAX_UPLOAD_MEMORY_BYTES } from "../../base/limits.js";
import { log } from "../../base/log.js";
import {
  BODY_MEMORY_EXHAUSTED,
  type HttpRejection,
  PAYLOAD_TOO_LARGE,
  UPLOAD_NOT_STORED,
  UPLOAD_SPACE_EXHAUSTED,
} from "../rejections.js";
import type { UploadedBody } from "./upload-folder.js";

/** Address space reserved for a body of unknown length, as a multiple of its bytes. */
const MAX_GROWTH = 4;
const MAX_ADDRESS_SPACE = 64 * 1024 * 1024;

/** Memory available to bodies. */
export interface BodyMemory {
  /** @returns false if too little is left; small bodies have a reserve */
  take(bytes: number, isLarge: boolean): boolean;
  give(bytes: number): void;
}

/** Limits the total memory of all bodies of a server. */
export class BodyBudget implements BodyMemory {
  used = 0;
  readonly #collector = new IdleGc();

  /** @param reserve the part of `limit` for small bodies only */
  constructor(
    readonly limit: number,
    readonly reserve = 0,
  ) {}

  take(bytes: number, isLarge: boolean): boolean {
    const limit = isLarge ? this.limit - this.reserve : this.limit;
    if (this.used + bytes > limit) return false;
    this.used += bytes;
    return true;
  }

  give(bytes: number): void {
    this.used -= bytes;
    if (bytes > INLINE_BODY_BYTES) this.#collector.used(bytes);
  }
}

/** Stores bodies with files that are too large for memory. */
export interface BodyDisk {
  create(progress: () => void): UploadedBody;
  /** Called when the body is complete, and when reading may continue. */
  onProgress(): void;
}

export class BodyStore {
  /** Bytes received, including those discarded after a rejection. */
  size = 0;
  dropped = 0;
  /** Why the body is rejected; further bytes are only counted. */
  refusal: HttpRejection | null = null;
  /** Bytes that the owner of the body must return to the budget. */
  reserved = 0;
  readonly #budget: BodyMemory;
  readonly #maxBytes: number;
  #bytes: Uint8Array | null = null;
  readonly #disk: BodyDisk | null;
  #upload: UploadedBody | null = null;

  /** @param disk null: the body stays in memory */
  constructor(budget: BodyMemory, maxBytes: number, disk: BodyDisk | null = null) {
    this.#budget = budget;
    this.#maxBytes = maxBytes;
    this.#disk = disk;
  }

  /** True while reading must wait for the disk. */
  get isBehind(): boolean {
    return this.#upload?.isBehind === true;
  }

  /**
   * Adds a copy of `chunk[from, to)`. `expected` is the expected size of the body, to grow in
   * fewer steps.
   */
  write(chunk: Buffer, from: number, to: number, expected: number): void {
    const count = to - from;
    if (this.refusal === null) {
      const refusal = this.#store(chunk.subarray(from, to), expected);
      if (refusal !== null) this.refuse(refusal);
    }
    if (this.refusal === null) this.size += count;
    else this.dropped += count;
  }

  /** @returns the rejection if there is too little space */
  #store(bytes: Uint8Array, expected: number): HttpRejection | null {
    const size = this.size + bytes.length;
    if (size > this.#maxBytes) return PAYLOAD_TOO_LARGE;
    const isLarge = Math.max(size, expected) > MAX_UPLOAD_MEMORY_BYTES;
    if (this.#disk !== null && isLarge) return this.#storeOnDisk(this.#disk, bytes);
    const refusal = this.#makeRoom(size, expected);
    if (refusal === null) this.#bytes!.set(bytes, this.size);
    return refusal;
  }

  #storeOnDisk(disk: BodyDisk, bytes: Uint8Array): HttpRejection | null {
    if (this.#upload === null) {
      try {
        this.#upload = disk.create(() => this.#progressed(disk));
      } catch (error) {
        log(`upload failed: ${(error as Error).message}`, "error");
        return UPLOAD_NOT_STORED;
      }
      const inMemory = this.#bytes?.slice(0, this.size);
      this.#releaseMemory();
      if (inMemory !== undefined && !this.#upload.write(inMemory)) return UPLOAD_SPACE_EXHAUSTED;
    }
    return this.#upload.write(Buffer.from(bytes)) ? null : UPLOAD_SPACE_EXHAUSTED;
  }

  #progressed(disk: BodyDisk): void {
    if (this.refusal !== null) return;
    if (this.#upload !== null && this.#upload.failure !== null) this.refuse(UPLOAD_NOT_STORED);
    disk.onProgress();
  }

  /** Returns whether all bytes are stored; otherwise `progressed` is called later. */
  complete(): boolean {
    this.#upload?.end();
    return this.#upload === null || this.#upload.isComplete;
  }

  /** Releases the stored bytes; the rest of the body is read and discarded. */
  refuse(refusal: HttpRejection): void {
    this.refusal = refusal;
    this.release();
  }

  release(): void {
    this.#releaseMemory();
    this.#upload?.remove();
    this.#upload = null;
  }

  #releaseMemory(): void {
    this.#budget.give(this.reserved);
    this.reserved = 0;
    this.#bytes = null;
  }

  /** The body on disk, which passes to the caller; null: it is in memory. */
  get upload(): UploadedBody | null {
    return this.#upload;
  }

  /** Returns the body in the form that the engine takes. The reservation passes to the caller. */
  finish(): string | Uint8Array | null {
    if (this.#bytes === null || this.size === 0) return null;
    const { buffer } = this.#bytes;
    if (this.size <= INLINE_BODY_BYTES) return Buffer.from(buffer).toString("latin1", 0, this.size);
    return new Uint8Array(buffer, 0, this.size);
  }

  /** @returns the rejection if there is too little memory */
  #makeRoom(size: number, expected: number): HttpRejection | null {
    const capacity = this.#bytes?.length ?? 0;
    if (size <= capacity) return null;
    const grown = Math.max(size, Math.min(expected, Math.max(2 * capacity, INLINE_BODY_BYTES)));
    const isLarge = Math.max(grown, expected) > INLINE_BODY_BYTES;
    if (!this.#budget.take(grown - this.reserved, isLarge)) return BODY_MEMORY_EXHAUSTED;
    this.reserved = grown;
    try {
      this.#resize(grown, expected);
    } catch {
      // The address space of the process is limited.
      return BODY_MEMORY_EXHAUSTED;
    }
    return null;
  }

  /** Large bodies grow in place: copying megabytes would delay all other clients. */
  #resize(bytes: number, expected: number): void {
    const buffer = this.#bytes?.buffer;
    if (buffer instanceof SharedArrayBuffer && bytes <= buffer.maxByteLength) {
      buffer.grow(bytes);
      return;
    }
    // Without a length argument, the array grows with its buffer.
    const larger = new Uint8Array(
      bytes <= INLINE_BODY_BYTES
        ? new ArrayBuffer(bytes)
        : new SharedArrayBuffer(bytes, { maxByteLength: this.#addressSpace(bytes, expected) }),
    );
    if (this.#bytes !== null) larger.set(this.#bytes.subarray(0, this.size));
    this.#bytes = larger;
  }

  /** Returns the address space to reserve, which takes no memory yet. */
  #addressSpace(bytes: number, expected: number): number {
    const likely = Math.max(expected, MAX_GROWTH * bytes);
    return Math.max(bytes, Math.min(likely, this.#maxBytes, MAX_ADDRESS_SPACE));
  }
}
