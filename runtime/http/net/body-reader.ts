// Readers for the two framings of a request body. A reader consumes bytes up to the end of its
// body, passes the content to a store and reports completion or a framing error.

import { MAX_CHUNK_LINE_BYTES, MAX_TRAILER_BYTES } from "../../base/limits.js";
import { isValidHeaderBlock } from "../header-fields.js";
import type { BodyStore } from "./body-store.js";

export interface BodyReader {
  readonly store: BodyStore;
  readonly done: boolean;
  /** The framing is invalid: nothing more can be read from the connection. */
  readonly broken: boolean;
  /** Consumes bytes from `at` on; returns the offset after the last byte consumed. */
  feed(chunk: Buffer, at: number): number;
}

/** A body with Content-Length. */
export class SizedBody implements BodyReader {
  readonly broken = false;
  #left: number;

  constructor(
    readonly store: BodyStore,
    length: number,
  ) {
    this.#left = length;
  }

  get done(): boolean {
    return this.#left === 0;
  }

  feed(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + this.#left);
    this.store.write(chunk, at, end, this.store.size + this.#left);
    this.#left -= end - at;
    return end;
  }
}

const TOKEN = "[!#$%&'*+\\-.^_`|~\\w]+";
const QUOTED = '"(?:[\\t !#-\\[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*"';
/** Chunk size, then extensions: `;name`, `;name=token` or `;name="text"`. */
const CHUNK_LINE = new RegExp(
  `^([0-9A-Fa-f]{1,13})(?:;${TOKEN}(?:=(?:${TOKEN}|${QUOTED}))?)*\\r\\n$`,
);
/** Framing fields are forbidden in trailers. */
const FRAMING_TRAILER = /^(?:content-length|transfer-encoding):/i;
const LF = 10;

type ChunkPart = "size" | "data" | "data-end" | "trailers" | "done" | "broken";

/** A body in chunked encoding; extensions and trailers are validated and discarded. */
export class ChunkedBody implements BodyReader {
  #part: ChunkPart = "size";
  /** Remaining bytes of the current chunk. */
  #left = 0;
  /** The line being received, and the total bytes of trailer lines. */
  #line = "";
  #trailerBytes = 0;

  constructor(readonly store: BodyStore) {}

  get done(): boolean {
    return this.#part === "done";
  }

  get broken(): boolean {
    return this.#part === "broken";
  }

  feed(chunk: Buffer, at: number): number {
    while (at < chunk.length && !this.done && !this.broken) {
      at = this.#part === "data" ? this.#feedData(chunk, at) : this.#feedLine(chunk, at);
    }
    return at;
  }

  #feedData(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + this.#left);
    this.store.write(chunk, at, end, this.store.size + this.#left);
    this.#left -= end - at;
    if (this.#left === 0) this.#part = "data-end";
    return end;
  }

  #feedLine(chunk: Buffer, at: number): number {
    const lineFeed = chunk.indexOf(LF, at);
    const end = lineFeed < 0 ? chunk.length : lineFeed + 1;
    const limit = this.#lineLimit();
    if (this.#line.length + end - at > limit) this.#part = "broken";
    else this.#line += chunk.toString("latin1", at, end);
    if (this.broken || lineFeed < 0) return end;
    const line = this.#line;
    this.#line = "";
    this.#part = this.#endLine(line);
    return end;
  }

  #lineLimit(): number {
    if (this.#part === "data-end") return 2;
    return this.#part === "size" ? MAX_CHUNK_LINE_BYTES : MAX_TRAILER_BYTES - this.#trailerBytes;
  }

  /** Handles a complete line, including its line feed; returns the next state. */
  #endLine(line: string): ChunkPart {
    if (this.#part === "data-end") return line === "\r\n" ? "size" : "broken";
    if (this.#part === "trailers") {
      if (line === "\r\n") return "done";
      this.#trailerBytes += line.length;
      return isValidHeaderBlock(line) && !FRAMING_TRAILER.test(line) ? "trailers" : "broken";
    }
    const size = CHUNK_LINE.exec(line)?.[1];
    if (size === undefined) return "broken";
    this.#left = Number.parseInt(size, 16);
    return this.#left === 0 ? "trailers" : "data";
  }
}
