// The words that records are made of, from the first to the last one of a unit. Reading takes
// nothing for granted: what is read may come from elsewhere. Every method throws a DataError.

import { MAX_STRING } from "../model/constants.js";
import { DataError } from "../model/errors.js";
import { wordsFor } from "../store/packed-text.js";
import { TextView } from "../store/text-view.js";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export class RecordReader {
  #words: Uint32Array = new Uint32Array(0);
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  #end = 0;
  /** Of the text or value that was read last: where its words begin, and its bytes. */
  textAt = 0;
  textBytes = 0;
  /** The first id of the record that was read last. */
  readonly first = new TextView();
  /** A vertex that an earlier record of the unit is about, and its id: most units have one. */
  readonly #knownId = new TextView();
  #known = 0;

  /** @param words in memory that no other thread writes to */
  begin(words: Uint32Array, at: number, end: number): void {
    if (this.#words !== words) {
      this.#words = words;
      this.#bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    }
    this.#at = at;
    this.#end = end;
    this.#known = 0;
  }

  /**
   * To be called when the record that was read last was applied.
   * @param vertex that its first id is that of, 0: it is about none
   * @param mayRemove vertices may be gone
   */
  note(vertex: number, mayRemove: boolean): void {
    if (mayRemove) this.#known = 0;
    else if (vertex !== 0) {
      this.#known = vertex;
      this.#knownId.place(this.first.words, this.first.at, this.first.bytes);
    }
  }

  /** Goes behind the first id of a record; the vertex that has it, 0 if that is not known. */
  skipFirst(): number {
    this.skipText();
    this.first.place(this.#words, this.textAt, this.textBytes);
    return this.#known !== 0 && this.first.equals(this.#knownId) ? this.#known : 0;
  }

  get words(): Uint32Array {
    return this.#words;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#end;
  }

  word(): number {
    if (this.#at >= this.#end) throw corruptRecord("too short");
    return this.#words[this.#at++]!;
  }

  /** Goes behind a text or value of so many bytes at most, and notes where it is. */
  skipText(most = MAX_STRING): void {
    const bytes = this.word();
    const end = this.#at + wordsFor(bytes);
    if (bytes > most) throw corruptRecord("length of a text");
    if (end > this.#end) throw corruptRecord("too short");
    const over = bytes & 3;
    if (over !== 0 && this.#words[end - 1]! >>> (over * 8) !== 0) throw corruptRecord("padding");
    this.textAt = this.#at;
    this.textBytes = bytes;
    this.#at = end;
  }

  /** The bytes that `skipText` noted; they stay part of the unit. */
  bytes(at = this.textAt, length = this.textBytes): Uint8Array {
    return this.#bytes.subarray(at * 4, at * 4 + length);
  }

  /** The text that `skipText` noted. */
  text(at = this.textAt, length = this.textBytes): string {
    try {
      return utf8.decode(this.bytes(at, length));
    } catch (error) {
      throw new DataError("damaged operation record: text is not UTF-8", { cause: error });
    }
  }
}

export function corruptRecord(what: string): DataError {
  return new DataError(`damaged operation record: ${what}`);
}
