// Reader of a received partial, in place: everything is validated once, then only what merging
// needs is decoded. A partial with a correct checksum is trusted to contain JSON in items and
// metadata. Layout: `partial-layout.ts`.

import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import { ResponseError } from "../errors.js";
import { explainLaterFormat } from "../later-release.js";
import { isDescending, type KeyWire, type SortKey, sortClass } from "../sort-order.js";
import * as layout from "./partial-layout.js";
import { PartialParts } from "./partial-parts.js";

const { At, CRC_BYTES, HAS_MESSAGE, HAS_META, HEADER_BYTES, TAGS } = layout;

export class PartialView implements layout.PartialNumbers {
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
  /** Keys as bytes, mixed types with a tag first; null if they are numbers. */
  readonly keys: PartialParts | null;
  /** JSON texts. */
  readonly items: PartialParts;
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #flags: number;
  readonly #messageStart: number;
  readonly #metaStart: number;
  readonly #end: number;

  /**
   * @param name used in errors
   * @throws ResponseError for anything that `encodePartial` does not write
   */
  constructor(data: Uint8Array, name: string) {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    checkFrame(bytes, view, name);
    this.#bytes = bytes;
    this.#view = view;
    this.#flags = view.getUint8(At.Flags);
    this.keytype = layout.KEY_TYPES[view.getUint8(At.KeyType)]!;
    this.sortby = view.getUint32(At.Sortby, true);
    this.count = view.getUint32(At.Count, true);
    this.level = view.getUint32(At.Level, true);
    this.levelparts = view.getUint32(At.Levelparts, true);
    this.maxhits = view.getFloat64(At.Maxhits, true);
    this.hitcount = view.getFloat64(At.Hitcount, true);
    this.partials = view.getFloat64(At.Partials, true);
    this.i0 = view.getFloat64(At.I0, true);
    this.i1 = view.getFloat64(At.I1, true);
    this.f2 = view.getFloat64(At.F2, true);
    this.f3 = view.getFloat64(At.F3, true);
    require(hasValidNumbers(this), name, "invalid header");
    const { count } = this;
    const itemTable = HEADER_BYTES + layout.keyTableBytes(this.keytype, count);
    const keyStart = itemTable + 4 * (count + 1);
    this.#end = bytes.length - CRC_BYTES;
    require(keyStart <= this.#end, name, "truncated data");
    const isNumeric = layout.isNumeric(this.keytype);
    this.keys = isNumeric ? null : new PartialParts(bytes, view, count, HEADER_BYTES, keyStart);
    const itemStart = this.keys?.end ?? keyStart;
    this.items = new PartialParts(bytes, view, count, itemTable, itemStart);
    this.#messageStart = this.items.end;
    this.#metaStart = this.#messageStart + view.getUint32(At.MessageLength, true);
    const end = this.#metaStart + view.getUint32(At.MetaLength, true);
    require(end === this.#end, name, "truncated data");
    require(this.#hasValidKeys(), name, "data corruption: keys");
    require(this.#hasValidTexts(), name, "data corruption: texts");
  }

  get message(): string | null {
    if ((this.#flags & HAS_MESSAGE) === 0) return null;
    return this.#bytes.toString("utf8", this.#messageStart, this.#metaStart);
  }

  /** JSON text. */
  get meta(): Buffer | null {
    if ((this.#flags & HAS_META) === 0) return null;
    return this.#bytes.subarray(this.#metaStart, this.#end);
  }

  /** Returns a key of type int or float. */
  numberKey(index: number): number {
    return this.#view.getFloat64(HEADER_BYTES + 8 * index, true);
  }

  key(index: number): SortKey {
    const { keys, keytype } = this;
    if (keys === null) return this.numberKey(index);
    if (keytype === "str") return keys.text(index);
    const start = keys.start(index);
    const end = keys.start(index + 1);
    if (keytype === "bytes") return Uint8Array.from(this.#bytes.subarray(start, end));
    switch (this.#bytes[start]) {
      case TAGS.number:
        return this.#view.getFloat64(start + 1, true);
      case TAGS.str:
        return this.#bytes.toString("utf8", start + 1, end);
      default:
        return Uint8Array.from(this.#bytes.subarray(start + 1, end));
    }
  }

  #hasValidKeys(): boolean {
    const { keys, keytype, count } = this;
    if (keys === null) return this.#hasValidNumberKeys();
    if (!keys.isValid(keytype === "str")) return false;
    if (keytype === null) return this.#hasValidMixedKeys(keys);
    if (sortClass(this.sortby) === "any") return true;
    const sign = isDescending(this.sortby) ? -1 : 1;
    for (let i = 1; i < count; i++) {
      if (sign * keys.compare(i - 1, keys, i) > 0) return false;
    }
    return true;
  }

  #hasValidNumberKeys(): boolean {
    const view = this.#view;
    const isInt = this.keytype === "int";
    const isSorted = sortClass(this.sortby) !== "any";
    const sign = isDescending(this.sortby) ? -1 : 1;
    const end = HEADER_BYTES + 8 * this.count;
    let min = Number.NEGATIVE_INFINITY;
    for (let at = HEADER_BYTES; at < end; at += 8) {
      const key = sign * view.getFloat64(at, true);
      // Not `<`, because of NaN.
      if (!(key >= min) || (isInt && !Number.isSafeInteger(key))) return false;
      if (isSorted) min = key;
    }
    return true;
  }

  /** Mixed keys have no order to check. */
  #hasValidMixedKeys(keys: PartialParts): boolean {
    for (let i = 0; i < this.count; i++) {
      const start = keys.start(i);
      const end = keys.start(i + 1);
      const tag = start < end ? this.#bytes[start] : 0;
      if (tag === TAGS.number) {
        if (end - start !== 9 || Number.isNaN(this.#view.getFloat64(start + 1, true))) return false;
      } else if (tag === TAGS.str) {
        if (!isUtf8(this.#bytes.subarray(start + 1, end))) return false;
      } else if (tag !== TAGS.bytes) {
        return false;
      }
    }
    return true;
  }

  #hasValidTexts(): boolean {
    return (
      this.items.isValid(true) &&
      this.#isValidText(HAS_MESSAGE, this.#messageStart, this.#metaStart) &&
      this.#isValidText(HAS_META, this.#metaStart, this.#end)
    );
  }

  #isValidText(flag: number, start: number, end: number): boolean {
    if (start === end) return true;
    return (this.#flags & flag) !== 0 && isUtf8(this.#bytes.subarray(start, end));
  }
}

function checkFrame(bytes: Buffer, view: DataView, name: string): void {
  const isPartial = bytes.length >= 4 && view.getUint32(At.Magic, true) === layout.MAGIC;
  if (!isPartial) {
    require(false, name, `invalid mediatype: ${bytes.toString("hex", 0, 4).padEnd(8, "0")}`);
  }
  require(bytes.length >= HEADER_BYTES + CRC_BYTES, name, "truncated data");
  const length = view.getUint32(At.Length, true);
  require(length <= bytes.length, name, "truncated data");
  require(length === bytes.length, name, "invalid header");
  const end = bytes.length - CRC_BYTES;
  const isIntact = view.getUint32(end, true) === crc32(bytes.subarray(0, end));
  require(isIntact, name, "data corruption: checksum");
  const version = view.getUint16(At.Version, true);
  const reason = explainLaterFormat(version, layout.VERSION);
  require(reason === null, name, reason ?? "");
  const isKnown =
    version === layout.VERSION &&
    view.getUint8(At.KeyType) < layout.KEY_TYPES.length &&
    view.getUint8(At.Flags) <= (HAS_MESSAGE | HAS_META) &&
    view.getUint32(At.Zero, true) === 0;
  require(isKnown, name, "invalid header");
}

function hasValidNumbers(view: PartialView): boolean {
  const { maxhits, hitcount, partials, i0, i1, sortby, keytype, count } = view;
  return (
    isIntegerAtLeast(-1, maxhits) &&
    isIntegerAtLeast(0, hitcount) &&
    isIntegerAtLeast(1, partials) &&
    Number.isSafeInteger(i0) &&
    Number.isSafeInteger(i1) &&
    layout.takesEntries(sortby, keytype, count)
  );
}

function isIntegerAtLeast(min: number, value: number): boolean {
  return Number.isSafeInteger(value) && value >= min;
}

/** @throws ResponseError if the condition is false */
function require(condition: boolean, name: string, text: string): void {
  if (!condition) throw new ResponseError(`${name} ${text}`, "SVC2105");
}
