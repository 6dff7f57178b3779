// Cursor over the words of a transaction's records. The input is untrusted; every method throws
// DataError if it is corrupt.

import { MAX_STRING } from "../model/constants.js";
import { DataError } from "../model/errors.js";
import { wordsFor } from "../store/packed-text.js";
import { isAscii, TextView } from "../store/text-view.js";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export class RecordReader {
  #words: Uint32Array = new Uint32Array(0);
  #bytes: Buffer = Buffer.alloc(0);
  #offset = 0;
  #end = 0;
  /** Offset and bytes of the text or value read last. */
  textAt = 0;
  textBytes = 0;
  /** The first id of the current record. */
  readonly first = new TextView();
  /** Vertex of an earlier record and its id: most transactions concern a single vertex. */
  readonly #cachedId = new TextView();
  #cachedVertex = 0;

  /** @param words memory that no other thread writes to */
  begin(words: Uint32Array, offset: number, end: number): void {
    if (this.#words !== words) {
      this.#words = words;
      this.#bytes = Buffer.from(words.buffer, words.byteOffset, words.byteLength);
    }
    this.#offset = offset;
    this.#end = end;
    this.#cachedVertex = 0;
  }

  /**
   * Records the effect of the current record. Call it after applying the record.
   * @param vertex vertex of its first id, 0 if it concerns none
   * @param mayRemove vertices may have been removed
   */
  recordApplied(vertex: number, mayRemove: boolean): void {
    if (mayRemove) this.#cachedVertex = 0;
    else if (vertex !== 0) {
      this.#cachedVertex = vertex;
      this.#cachedId.place(this.first.words, this.first.at, this.first.bytes);
    }
  }

  /** Skips the first id of a record; returns its vertex, 0 if not cached. */
  skipFirst(): number {
    this.skipText();
    this.first.place(this.#words, this.textAt, this.textBytes);
    return this.#cachedVertex !== 0 && this.first.equals(this.#cachedId) ? this.#cachedVertex : 0;
  }

  get words(): Uint32Array {
    return this.#words;
  }

  get isAtEnd(): boolean {
    return this.#offset === this.#end;
  }

  word(): number {
    if (this.#offset >= this.#end) throw corruptRecord("too short");
    return this.#words[this.#offset++]!;
  }

  /** Skips a text or value of limited length; sets `textAt` and `textBytes`. */
  skipText(maxBytes = MAX_STRING): void {
    const bytes = this.word();
    const end = this.#offset + wordsFor(bytes);
    if (bytes > maxBytes) throw corruptRecord("length of a text");
    if (end > this.#end) throw corruptRecord("too short");
    const tailBytes = bytes & 3;
    if (tailBytes !== 0 && this.#words[end - 1]! >>> (tailBytes * 8) !== 0)
      throw corruptRecord("padding");
    this.textAt = this.#offset;
    this.textBytes = bytes;
    this.#offset = end;
  }

  /** Returns the bytes skipped by `skipText`, as a view of the transaction. */
  bytes(offset = this.textAt, length = this.textBytes): Uint8Array {
    return this.#bytes.subarray(offset * 4, offset * 4 + length);
  }

  /** Returns the text skipped by `skipText`. */
  text(offset = this.textAt, length = this.textBytes): string {
    // Most texts are ASCII, for which this is much faster than the decoder.
    if (isAscii(this.#words, offset, length)) {
      return this.#bytes.toString("latin1", offset * 4, offset * 4 + length);
    }
    try {
      return utf8.decode(this.bytes(offset, length));
    } catch (error) {
      throw new DataError("corrupt operation record: text is not UTF-8", { cause: error });
    }
  }
}

export function corruptRecord(reason: string): DataError {
  return new DataError(`corrupt operation record: ${reason}`);
}
