// Interned strings and byte values: equal ones lie in memory once, and are counted. Whoever keeps a
// pointer in the graph holds a reference, which he gives back with `release`.

import { InternalError } from "../errors.js";
import type { Reader } from "../memory/reader.js";
import type { Writer } from "../memory/writer.js";

export class StringPool {
  readonly #writer: Writer;
  readonly #reader: Reader;

  constructor(writer: Writer, reader: Reader) {
    this.#writer = writer;
    this.#reader = reader;
  }

  /** In a mutation: lays out an empty pool. */
  format(): void {
    throw new InternalError("not written yet");
  }

  /** How many different values there are. */
  get count(): number {
    throw new InternalError("not written yet");
  }

  /** In a mutation: pointer to the text, with one more reference. */
  intern(_text: string): number {
    throw new InternalError("not written yet");
  }

  /** In a mutation: the same for bytes; a text and bytes are never the same value. */
  internBytes(_bytes: Uint8Array): number {
    throw new InternalError("not written yet");
  }

  /** In a mutation: gives a reference back; the last one frees the value. */
  release(_pointer: number): void {
    throw new InternalError("not written yet");
  }

  /**
   * Pointer to the text, 0 if it is nowhere. Takes no lock: the text may be gone in the next moment
   * and another be there. Who keeps the pointer keeps `serialOf` too and compares.
   */
  find(_text: string): number {
    throw new InternalError("not written yet");
  }

  findBytes(_bytes: Uint8Array): number {
    throw new InternalError("not written yet");
  }

  /** Differs for each value that was ever interned, except after 4 thousand millions of them. */
  serialOf(_pointer: number): number {
    throw new InternalError("not written yet");
  }

  /** The text, from this thread's cache if it is there. */
  text(_pointer: number): string {
    throw new InternalError("not written yet");
  }

  /** A copy of the bytes. */
  bytes(_pointer: number): Uint8Array {
    throw new InternalError("not written yet");
  }

  /** All texts: pointer and references. */
  list(): Record<string, [pointer: number, references: number]> {
    throw new InternalError(`not written yet ${[this.#writer, this.#reader]}`);
  }
}
