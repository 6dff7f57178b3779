// Finds the parts of a body in `multipart/form-data` (RFC 7578) without copying their content.
//
//   preamble ──boundary──► line ──"--"──► done
//                           │ ▲
//                  CR LF    ▼ │ boundary
//                         head ──► content
//
// The body is untrusted: any content outside a part rejects the whole body at once.

import { ParameterError } from "../../base/errors.js";
import { type PartHead, parsePartHead } from "./part-head.js";

const MAX_HEAD_BYTES = 8 * 1024;
const MAX_PADDING_BYTES = 100;
const HEAD_END = "\r\n\r\n";
const LINE_END = "\r\n";
const DASHES = "--";

export interface PartSink {
  /** Returns the maximum length of the content, which is then passed on; null: any length. */
  begin(head: PartHead): number | null;
  /** @param content null without a maximum: only its position in the body is known */
  part(head: PartHead, start: number, size: number, content: Buffer | null): void;
}

export class MultipartScanner {
  readonly #delimiter: Buffer;
  readonly #sink: PartSink;
  #state: "preamble" | "line" | "head" | "content" | "done" = "preamble";
  #head: PartHead | null = null;
  #maxBytes: number | null = null;
  /** Position of the content in the body. */
  #start = 0;

  constructor(boundary: string, sink: PartSink) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
    this.#sink = sink;
  }

  /**
   * Scans a window, which begins with the bytes that the former call has not used.
   * @param position of the window in the body
   * @returns the number of bytes that are no longer needed
   * @throws ParameterError for an invalid body
   */
  scan(window: Buffer, position: number): number {
    let at = 0;
    for (;;) {
      if (this.#state === "done") return window.length;
      const next = this.#step(window, at, position);
      if (next < 0) return this.#countUsed(window, at);
      at = next;
    }
  }

  /** Keeps the end of a long content, which may be the start of a delimiter. */
  #countUsed(window: Buffer, at: number): number {
    const isLong = this.#state === "content" && this.#maxBytes === null;
    return isLong ? Math.max(at, window.length - this.#delimiter.length + 1) : at;
  }

  /** @throws ParameterError for a body that ends too early */
  end(): void {
    if (this.#state !== "done") throw invalid("unexpected end of multipart data");
  }

  /** Returns the offset after the step; negative: more bytes are needed. */
  #step(window: Buffer, at: number, position: number): number {
    switch (this.#state) {
      case "preamble":
        return this.#scanPreamble(window, at, position);
      case "line":
        return this.#scanLine(window, at);
      case "head":
        return this.#scanHead(window, at, position);
      case "content":
        return this.#scanContent(window, at, position);
      default:
        return window.length;
    }
  }

  /** The first delimiter need not follow a line end. */
  #scanPreamble(window: Buffer, at: number, position: number): number {
    const first = this.#delimiter.subarray(LINE_END.length);
    if (position + at === 0) {
      if (window.length < first.length) return -1;
      if (window.subarray(0, first.length).equals(first)) return this.#enter("line", first.length);
    }
    const delimiterAt = window.indexOf(this.#delimiter, at);
    if ((delimiterAt < 0 ? window.length : delimiterAt) > MAX_HEAD_BYTES)
      throw invalid("no boundary");
    return delimiterAt < 0 ? -1 : this.#enter("line", delimiterAt + this.#delimiter.length);
  }

  #scanLine(window: Buffer, at: number): number {
    if (window.length < at + DASHES.length) return -1;
    if (window.toString("latin1", at, at + DASHES.length) === DASHES) {
      return this.#enter("done", at + DASHES.length);
    }
    const end = window.indexOf(LINE_END, at, "latin1");
    if (end >= 0 && /^[ \t]*$/.test(window.toString("latin1", at, end))) {
      // The empty line after a head without lines is the end of this line and the next one.
      return this.#enter("head", end);
    }
    if (end >= 0 || window.length - at > MAX_PADDING_BYTES) throw invalid("invalid boundary");
    return -1;
  }

  #scanHead(window: Buffer, at: number, position: number): number {
    const end = window.indexOf(HEAD_END, at, "latin1");
    const length = (end < 0 ? window.length : end) - at;
    if (length > MAX_HEAD_BYTES) throw invalid(`part head above ${MAX_HEAD_BYTES} bytes`);
    if (end < 0) return -1;
    const head = parsePartHead(window.toString("utf8", at, end));
    if (head === null) throw invalid("part without a name");
    this.#head = head;
    this.#maxBytes = this.#sink.begin(head);
    const start = end + HEAD_END.length;
    this.#start = position + start;
    return this.#enter("content", start);
  }

  #scanContent(window: Buffer, at: number, position: number): number {
    const max = this.#maxBytes;
    const delimiterAt = window.indexOf(this.#delimiter, at);
    const size = position + (delimiterAt < 0 ? window.length : delimiterAt) - this.#start;
    const maxSize = delimiterAt < 0 ? (max ?? 0) + this.#delimiter.length : max;
    if (max !== null && size > maxSize!) throw invalid(`field above ${max} bytes`);
    if (delimiterAt < 0) return -1;
    const start = this.#start - position;
    const content = max === null ? null : window.subarray(start, start + size);
    this.#sink.part(this.#head!, this.#start, size, content);
    this.#maxBytes = null;
    return this.#enter("line", delimiterAt + this.#delimiter.length);
  }

  #enter(state: "line" | "head" | "content" | "done", at: number): number {
    this.#state = state;
    return at;
  }
}

export function invalid(reason: string): ParameterError {
  return new ParameterError("ValueError", `content (${reason})`);
}
