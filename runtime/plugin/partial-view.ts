// One partial as received, read where it lies: everything is checked once, then nothing has to be
// decoded that merging does not need. Nobody else reads these bytes. That items and metadata are
// JSON is believed of a partial whose checksum is right. `partial-layout.ts` draws the layout.

import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import { ResponseError } from "../errors.js";
import { isDescending, type KeyWire, type SortKey, sortClass } from "../sort-order.js";
import {
  CRC_BYTES,
  HAS_MESSAGE,
  HAS_META,
  HEADER_BYTES,
  isNumeric,
  KEY_TYPES,
  keyTableBytes,
  MAGIC,
  type PartialNumbers,
  TAGS,
  takesEntries,
  VERSION,
} from "./partial-layout.js";

export class PartialView implements PartialNumbers {
  readonly bytes: Buffer;
  /** Number of entries. */
  readonly count: number;
  readonly maxhits: number;
  readonly sortby: number;
  readonly keytype: KeyWire | null;
  readonly hitcount: number;
  readonly level: number;
  readonly levelparts: number;
  readonly partials: number;
  readonly i0: number;
  readonly i1: number;
  readonly f2: number;
  readonly f3: number;
  readonly #view: DataView;
  readonly #flags: number;
  readonly #itemTable: number;
  readonly #keys: number;
  readonly #items: number;
  readonly #message: number;
  readonly #meta: number;
  readonly #end: number;

  /**
   * @param name how errors call the partial
   * @throws ResponseError for anything that `encodePartial` does not write
   */
  constructor(data: Uint8Array, name: string) {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    checkFrame(bytes, view, name);
    this.bytes = bytes;
    this.#view = view;
    this.keytype = KEY_TYPES[view.getUint8(10)]!;
    this.#flags = view.getUint8(11);
    this.sortby = view.getUint32(12, true);
    this.count = view.getUint32(16, true);
    this.level = view.getUint32(24, true);
    this.levelparts = view.getUint32(28, true);
    this.maxhits = view.getFloat64(40, true);
    this.hitcount = view.getFloat64(48, true);
    this.partials = view.getFloat64(56, true);
    this.i0 = view.getFloat64(64, true);
    this.i1 = view.getFloat64(72, true);
    this.f2 = view.getFloat64(80, true);
    this.f3 = view.getFloat64(88, true);
    require(hasValidNumbers(this), name, "invalid header");
    this.#itemTable = HEADER_BYTES + keyTableBytes(this.keytype, this.count);
    this.#keys = this.#itemTable + 4 * (this.count + 1);
    this.#end = bytes.length - CRC_BYTES;
    require(this.#keys <= this.#end, name, "truncated data");
    const keyBytes = isNumeric(this.keytype) ? 0 : this.#offset(HEADER_BYTES, this.count);
    this.#items = this.#keys + keyBytes;
    this.#message = this.#items + this.#offset(this.#itemTable, this.count);
    this.#meta = this.#message + view.getUint32(32, true);
    require(this.#meta + view.getUint32(36, true) === this.#end, name, "truncated data");
    require(this.#hasValidKeys(), name, "data corruption: keys");
    require(this.#hasValidTexts(), name, "data corruption: texts");
  }

  get message(): string | null {
    return (this.#flags & HAS_MESSAGE) === 0 ? null : this.#text(this.#message, this.#meta);
  }

  /** JSON text. */
  get meta(): Buffer | null {
    return (this.#flags & HAS_META) === 0 ? null : this.bytes.subarray(this.#meta, this.#end);
  }

  /** A key of type int or float. */
  numberKey(index: number): number {
    return this.#view.getFloat64(HEADER_BYTES + 8 * index, true);
  }

  /** Where a key of another type begins in `bytes`; that of `count` is where the last one ends. */
  keyStart(index: number): number {
    return this.#keys + this.#offset(HEADER_BYTES, index);
  }

  /** Where the JSON text of an item begins in `bytes`; that of `count` is where the last ends. */
  itemStart(index: number): number {
    return this.#items + this.#offset(this.#itemTable, index);
  }

  key(index: number): SortKey {
    if (isNumeric(this.keytype)) return this.numberKey(index);
    const start = this.keyStart(index);
    const end = this.keyStart(index + 1);
    const tag = this.keytype === null ? this.bytes[start] : TAGS[this.keytype as "str" | "bytes"];
    const from = this.keytype === null ? start + 1 : start;
    if (tag === TAGS.number) return this.#view.getFloat64(from, true);
    return tag === TAGS.str
      ? this.#text(from, end)
      : Uint8Array.from(this.bytes.subarray(from, end));
  }

  item(index: number): string {
    return this.#text(this.itemStart(index), this.itemStart(index + 1));
  }

  /** Compares two keys of type text or bytes by their bytes. */
  compareKey(index: number, other: PartialView, otherIndex: number): number {
    const a = this.bytes;
    const b = other.bytes;
    const aStart = this.keyStart(index);
    const bStart = other.keyStart(otherIndex);
    const aLength = this.keyStart(index + 1) - aStart;
    const bLength = other.keyStart(otherIndex + 1) - bStart;
    const length = Math.min(aLength, bLength);
    for (let i = 0; i < length; i++) {
      const difference = a[aStart + i]! - b[bStart + i]!;
      if (difference !== 0) return difference;
    }
    return aLength - bLength;
  }

  #offset(table: number, index: number): number {
    return this.#view.getUint32(table + 4 * index, true);
  }

  #text(start: number, end: number): string {
    return this.bytes.toString("utf8", start, end);
  }

  #hasValidKeys(): boolean {
    if (isNumeric(this.keytype)) return this.#hasValidNumberKeys();
    if (!this.#arePartsInOrder(HEADER_BYTES)) return false;
    if (this.keytype === null) return this.#hasValidMixedKeys();
    if (this.keytype === "str" && !this.#areTexts(HEADER_BYTES, this.#keys, this.#items)) {
      return false;
    }
    if (sortClass(this.sortby) === "any") return true;
    const sign = isDescending(this.sortby) ? -1 : 1;
    for (let i = 1; i < this.count; i++) {
      if (sign * this.compareKey(i - 1, this, i) > 0) return false;
    }
    return true;
  }

  #hasValidNumberKeys(): boolean {
    const isInt = this.keytype === "int";
    const isSorted = sortClass(this.sortby) !== "any";
    const sign = isDescending(this.sortby) ? -1 : 1;
    let previous = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < this.count; i++) {
      const key = sign * this.numberKey(i);
      if (isInt ? !Number.isSafeInteger(key) : Number.isNaN(key)) return false;
      if (isSorted && key < previous) return false;
      previous = key;
    }
    return true;
  }

  #hasValidMixedKeys(): boolean {
    for (let i = 0; i < this.count; i++) {
      const start = this.keyStart(i);
      const end = this.keyStart(i + 1);
      const tag = start < end ? this.bytes[start]! : 0;
      if (tag === TAGS.number) {
        if (end - start !== 9 || Number.isNaN(this.#view.getFloat64(start + 1, true))) return false;
      } else if (tag === TAGS.str) {
        if (!isUtf8(this.bytes.subarray(start + 1, end))) return false;
      } else if (tag !== TAGS.bytes) {
        return false;
      }
    }
    return true;
  }

  #hasValidTexts(): boolean {
    const hasMessage = (this.#flags & HAS_MESSAGE) !== 0;
    const hasMeta = (this.#flags & HAS_META) !== 0;
    if ((!hasMessage && this.#meta > this.#message) || (!hasMeta && this.#end > this.#meta)) {
      return false;
    }
    return (
      this.#arePartsInOrder(this.#itemTable) &&
      this.#areTexts(this.#itemTable, this.#items, this.#message) &&
      isUtf8(this.bytes.subarray(this.#message, this.#meta)) &&
      isUtf8(this.bytes.subarray(this.#meta, this.#end))
    );
  }

  /** Whether the parts of a table follow each other without gaps; the table has its size. */
  #arePartsInOrder(table: number): boolean {
    let previous = 0;
    for (let i = 0; i <= this.count; i++) {
      const offset = this.#offset(table, i);
      if (offset < previous || (i === 0 && offset !== 0)) return false;
      previous = offset;
    }
    return true;
  }

  /** Whether every part is UTF-8: all of them together are, and none begins within a character. */
  #areTexts(table: number, start: number, end: number): boolean {
    if (!isUtf8(this.bytes.subarray(start, end))) return false;
    for (let i = 1; i < this.count; i++) {
      const at = start + this.#offset(table, i);
      if (at < end && (this.bytes[at]! & 0xc0) === 0x80) return false;
    }
    return true;
  }
}

function checkFrame(bytes: Buffer, view: DataView, name: string): void {
  const isPartial = bytes.length >= 4 && view.getUint32(0, true) === MAGIC;
  require(isPartial, name, `invalid mediatype: ${bytes.toString("hex", 0, 4).padEnd(8, "0")}`);
  require(bytes.length >= HEADER_BYTES + CRC_BYTES, name, "truncated data");
  require(view.getUint32(4, true) <= bytes.length, name, "truncated data");
  require(view.getUint32(4, true) === bytes.length, name, "invalid header");
  const end = bytes.length - CRC_BYTES;
  const isIntact = view.getUint32(end, true) === crc32(bytes.subarray(0, end));
  require(isIntact, name, "data corruption: checksum");
  require(view.getUint16(8, true) === VERSION, name, "invalid header");
  require(view.getUint8(10) < KEY_TYPES.length, name, "invalid header");
  require(view.getUint8(11) <= (HAS_MESSAGE | HAS_META), name, "invalid header");
  require(view.getUint32(20, true) === 0, name, "invalid header");
}

function hasValidNumbers(view: PartialView): boolean {
  const { maxhits, hitcount, partials, i0, i1, sortby, keytype, count } = view;
  return (
    [maxhits, hitcount, partials, i0, i1].every(Number.isSafeInteger) &&
    maxhits >= -1 && hitcount >= 0 &&
    partials >= 1 &&
    takesEntries(sortby, keytype, count)
  );
}

/** @throws ResponseError when the condition does not hold */
function require(condition: boolean, name: string, text: string): void {
  if (!condition) throw new ResponseError(`${name} ${text}`, "SVC2105");
}
