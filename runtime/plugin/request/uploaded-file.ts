// A file of a form, as plugin code sees it. The client states its name and type.

import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** Bytes read from disk at once. */
const CHUNK_BYTES = 256 * 1024;

/** Content within a file that stays open as long as the request. */
export interface ContentOnDisk {
  readonly handle: {
    read(
      into: Uint8Array,
      offset: number,
      length: number,
      position: number,
    ): Promise<{ readonly bytesRead: number }>;
  };
  /** Position of the first byte. */
  readonly start: number;
  readonly size: number;
}

/**
 * A file of a request with `multipart/form-data`. A large file is on disk until the
 * request has completed.
 */
export class UploadedFile {
  /** Name on the client's machine, without folders. */
  readonly name: string;
  /** Media type that the client states; it may be wrong. */
  readonly type: string;
  /** Number of bytes. */
  readonly size: number;
  readonly #content: Uint8Array | ContentOnDisk;

  constructor(name: string, type: string, content: Uint8Array | ContentOnDisk) {
    this.name = name;
    this.type = type;
    this.size = content instanceof Uint8Array ? content.length : content.size;
    this.#content = content;
  }

  /** The whole content in memory. */
  async bytes(): Promise<Uint8Array> {
    if (this.#content instanceof Uint8Array) return this.#content;
    const bytes = new Uint8Array(this.size);
    let at = 0;
    for await (const chunk of this.stream()) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    return bytes;
  }

  /** The content as text; invalid UTF-8 becomes U+FFFD. */
  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes());
  }

  /** Yields the content in chunks, so that a large file needs little memory. */
  async *stream(): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#content instanceof Uint8Array) {
      yield this.#content;
      return;
    }
    const { handle, start } = this.#content;
    for (let at = 0; at < this.size; ) {
      const length = Math.min(CHUNK_BYTES, this.size - at);
      const chunk = new Uint8Array(length);
      const { bytesRead } = await handle.read(chunk, 0, length, start + at);
      if (bytesRead === 0) throw new Error(`uploaded file ends after ${at} bytes`);
      yield chunk.subarray(0, bytesRead);
      at += bytesRead;
    }
  }

  /** Writes the file to a path, which must not come from the client. */
  async saveTo(path: string): Promise<void> {
    if (this.#content instanceof Uint8Array) return writeFile(path, this.#content);
    await pipeline(Readable.from(this.stream()), createWriteStream(path));
  }
}
