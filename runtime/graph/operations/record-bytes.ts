// The parts that records of operations are made of, all little-endian. A text is its length in
// bytes, seven bits a byte and the lowest first, each but the last with its high bit set; then its
// UTF-8. Reading takes nothing for granted: records come from elsewhere.

import { MAX_STRING } from "../model/constants.js";
import { DataError } from "../model/errors.js";

const FIRST_BYTES = 4096;
const MAX_LENGTH_BYTES = 3;
const CONTINUED = 0x80;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Writes one record after the other into the same memory. */
export class RecordWriter {
  #buffer = Buffer.alloc(FIRST_BYTES);
  #end = 0;

  begin(): this {
    this.#end = 0;
    return this;
  }

  u8(value: number): this {
    this.#reserve(1);
    this.#end = this.#buffer.writeUInt8(value & 0xff, this.#end);
    return this;
  }

  u16(value: number): this {
    this.#reserve(2);
    this.#end = this.#buffer.writeUInt16LE(value & 0xffff, this.#end);
    return this;
  }

  u32(value: number): this {
    this.#reserve(4);
    this.#end = this.#buffer.writeUInt32LE(value >>> 0, this.#end);
    return this;
  }

  f32(value: number): this {
    this.#reserve(4);
    this.#end = this.#buffer.writeFloatLE(value, this.#end);
    return this;
  }

  text(text: string): this {
    let length = Buffer.byteLength(text);
    this.#reserve(MAX_LENGTH_BYTES + length);
    for (; length >= CONTINUED; length >>>= 7) this.u8(length | CONTINUED);
    this.u8(length);
    this.#end += this.#buffer.write(text, this.#end);
    return this;
  }

  /** Bytes that go on to the end of the record. */
  rest(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#end);
    this.#end += bytes.length;
    return this;
  }

  /** A copy of the record. */
  take(): Uint8Array {
    return new Uint8Array(this.#buffer.subarray(0, this.#end));
  }

  #reserve(bytes: number): void {
    const needed = this.#end + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.alloc(2 ** Math.ceil(Math.log2(needed)));
    larger.set(this.#buffer);
    this.#buffer = larger;
  }
}

/** Reads one record from its first to its last byte; every method throws a DataError. */
export class RecordReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(record: Uint8Array) {
    this.#bytes = Buffer.from(record.buffer, record.byteOffset, record.length);
  }

  u8(): number {
    return this.#bytes.readUInt8(this.#take(1));
  }

  u16(): number {
    return this.#bytes.readUInt16LE(this.#take(2));
  }

  u32(): number {
    return this.#bytes.readUInt32LE(this.#take(4));
  }

  f32(): number {
    return this.#bytes.readFloatLE(this.#take(4));
  }

  /** A text of at most `MAX_STRING` bytes. */
  text(): string {
    const length = this.#length();
    const start = this.#take(length);
    try {
      return utf8.decode(this.#bytes.subarray(start, start + length));
    } catch (error) {
      throw new DataError("damaged operation record: text is not UTF-8", { cause: error });
    }
  }

  rest(): Uint8Array {
    const start = this.#at;
    this.#at = this.#bytes.length;
    return this.#bytes.subarray(start);
  }

  /** To be called when all was read. */
  end(): void {
    if (this.#at < this.#bytes.length) throw new DataError("damaged operation record: too long");
  }

  #length(): number {
    let length = 0;
    for (let part = 0; part < MAX_LENGTH_BYTES; part++) {
      const byte = this.u8();
      length |= (byte & ~CONTINUED) << (7 * part);
      if (byte >= CONTINUED) continue;
      // Every length is written in one way only.
      if (length > MAX_STRING || (byte === 0 && part > 0)) break;
      return length;
    }
    throw new DataError("damaged operation record: length of a text");
  }

  #take(bytes: number): number {
    const start = this.#at;
    if (start + bytes > this.#bytes.length) {
      throw new DataError("damaged operation record: too short");
    }
    this.#at += bytes;
    return start;
  }
}
