// A PluginResponse on its way to a dispatcher. Everything that merging needs stands in front: the
// numbers in a header of fixed size, then the keys as one array; items follow as JSON texts that
// nobody decodes below the top. Little-endian.
//
//    0  u32  magic "SVP1"             24  u32  level              56  f64  partials
//    4  u32  length of everything     28  u32  levelparts         64  f64  i0
//    8  u16  version                  32  u32  length of message  72  f64  i1
//   10  u8   key type   11  u8  flags 36  u32  length of meta     80  f64  f2
//   12  u32  sortby                   40  f64  maxhits            88  f64  f3
//   16  u32  number n of entries      48  f64  hitcount
//   20  u32  0
//   96  keys          f64[n] for int and float, else u32[n+1]: where each begins in the key bytes
//       item offsets  u32[n+1]: where each begins in the item bytes
//       key bytes     text, bytes, or for keys of mixed type `n` + f64, `s` + text, `b` + bytes
//       item bytes    JSON texts
//       message       UTF-8 text, if flag 1
//       meta          JSON text, if flag 2
//       u32           CRC-32 of everything before

import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import { ResponseError } from "../errors.js";
import { inOrder, isSortby, type KeyWire, type SortKey, takesKeys } from "../sort-order.js";

/** The plain data of a response; `items` and `meta` are JSON texts. */
export interface Partial {
  readonly maxhits: number;
  readonly sortby: number;
  /** Null when there are no keys, or keys of mixed type. */
  readonly keytype: KeyWire | null;
  readonly hitcount: number;
  readonly level: number;
  readonly levelparts: number;
  readonly partials: number;
  readonly aggregator: readonly [i0: number, i1: number, f2: number, f3: number];
  readonly message: string | null;
  readonly meta: string | null;
  readonly keys: readonly SortKey[];
  readonly items: readonly string[];
}

const MAGIC = 0x31505653;
const VERSION = 1;
const HEADER_BYTES = 96;
const CRC_BYTES = 4;
const HAS_MESSAGE = 1;
const HAS_META = 2;
const KEY_TYPES: readonly (KeyWire | null)[] = [null, "int", "float", "str", "bytes"];

/** @throws ResponseError when keys are of another type than `keytype` says, or out of order */
export function encodePartial(partial: Partial): Uint8Array<ArrayBuffer> {
  const { keys, keytype, sortby } = partial;
  const wrong = wrongKey(keys, keytype, sortby);
  if (wrong !== null) throw new ResponseError(wrong);
  const numeric = isNumeric(keytype);
  const keyParts = numeric ? [] : keys.map((key) => keyBytes(key, keytype));
  const itemParts = partial.items.map(utf8);
  const message = utf8(partial.message ?? "");
  const meta = utf8(partial.meta ?? "");
  const n = keys.length;
  const keyTable = numeric ? 8 * n : 4 * (n + 1);
  const total =
    HEADER_BYTES +
    (keyTable + 4 * (n + 1)) +
    (totalLength(keyParts) + totalLength(itemParts) + message.length + meta.length) +
    CRC_BYTES;
  const bytes = new Uint8Array(total);
  const view = new DataView(bytes.buffer);
  writeHeader(view, partial, message.length, meta.length);
  let at = HEADER_BYTES;
  if (numeric) {
    for (const key of keys) {
      view.setFloat64(at, key as number, true);
      at += 8;
    }
  } else {
    at = writeOffsets(view, at, keyParts);
  }
  at = writeOffsets(view, at, itemParts);
  for (const part of [...keyParts, ...itemParts, message, meta]) {
    bytes.set(part, at);
    at += part.length;
  }
  view.setUint32(at, crc32(bytes.subarray(0, at)), true);
  return bytes;
}

function writeHeader(view: DataView, partial: Partial, message: number, meta: number): void {
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, view.byteLength, true);
  view.setUint16(8, VERSION, true);
  view.setUint8(10, KEY_TYPES.indexOf(partial.keytype));
  const messageFlag = partial.message === null ? 0 : HAS_MESSAGE;
  view.setUint8(11, messageFlag | (partial.meta === null ? 0 : HAS_META));
  view.setUint32(12, partial.sortby, true);
  view.setUint32(16, partial.keys.length, true);
  view.setUint32(24, partial.level, true);
  view.setUint32(28, partial.levelparts, true);
  view.setUint32(32, message, true);
  view.setUint32(36, meta, true);
  const numbers = [partial.maxhits, partial.hitcount, partial.partials, ...partial.aggregator];
  for (const [index, value] of numbers.entries()) view.setFloat64(40 + 8 * index, value, true);
}

function writeOffsets(view: DataView, start: number, parts: readonly Uint8Array[]): number {
  let at = start;
  let offset = 0;
  view.setUint32(at, 0, true);
  for (const part of parts) {
    offset += part.length;
    at += 4;
    view.setUint32(at, offset, true);
  }
  return at + 4;
}

/** @throws ResponseError for anything that `encodePartial` does not write */
export function decodePartial(data: Uint8Array): Partial {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  checkFrame(bytes, view);
  const keytype = KEY_TYPES[view.getUint8(10)]!;
  const sortby = view.getUint32(12, true);
  const n = view.getUint32(16, true);
  const keyTable = isNumeric(keytype) ? 8 * n : 4 * (n + 1);
  const itemTable = HEADER_BYTES + keyTable;
  const keyStart = itemTable + 4 * (n + 1);
  require(keyStart + CRC_BYTES <= bytes.length, "number of entries");
  const keyRange = isNumeric(keytype) ? null : readOffsets(view, HEADER_BYTES, n, keyStart);
  const itemStart = keyRange === null ? keyStart : keyRange[n]!;
  const itemRange = readOffsets(view, itemTable, n, itemStart);
  const messageEnd = itemRange[n]! + view.getUint32(32, true);
  const metaEnd = messageEnd + view.getUint32(36, true);
  require(metaEnd + CRC_BYTES === bytes.length, "length");
  const keys: SortKey[] = [];
  const items: string[] = [];
  for (let i = 0; i < n; i++) {
    keys.push(
      keyRange === null
        ? view.getFloat64(HEADER_BYTES + 8 * i, true)
        : keyFrom(bytes.subarray(keyRange[i], keyRange[i + 1]), keytype),
    );
    items.push(text(bytes.subarray(itemRange[i], itemRange[i + 1])));
  }
  require(isSortby(sortby) && wrongKey(keys, keytype, sortby) === null, "keys");
  const flags = view.getUint8(11);
  const message = text(bytes.subarray(itemRange[n], messageEnd));
  const meta = text(bytes.subarray(messageEnd, metaEnd));
  return {
    ...readNumbers(view),
    sortby,
    keytype,
    message: (flags & HAS_MESSAGE) === 0 ? null : message,
    meta: (flags & HAS_META) === 0 ? null : meta,
    keys,
    items,
  };
}

function checkFrame(bytes: Buffer, view: DataView): void {
  const end = bytes.length - CRC_BYTES;
  require(end >= HEADER_BYTES && view.getUint32(0, true) === MAGIC, "header");
  require(view.getUint32(4, true) === bytes.length, "length");
  require(view.getUint32(end, true) === crc32(bytes.subarray(0, end)), "checksum");
  require(view.getUint16(8, true) === VERSION, "version");
  require(view.getUint8(10) < KEY_TYPES.length, "key type");
  require(view.getUint8(11) <= (HAS_MESSAGE | HAS_META), "flags");
  require(view.getUint32(20, true) === 0, "header");
}

function readNumbers(view: DataView) {
  const number = (index: number): number => view.getFloat64(40 + 8 * index, true);
  const integer = (index: number, least: number): number => {
    const value = number(index);
    require(Number.isSafeInteger(value) && value >= least, "number");
    return value;
  };
  return {
    maxhits: integer(0, -1),
    hitcount: integer(1, 0),
    partials: integer(2, 1),
    aggregator: [
      integer(3, Number.MIN_SAFE_INTEGER),
      integer(4, Number.MIN_SAFE_INTEGER),
      number(5),
      number(6),
    ] as const,
    level: view.getUint32(24, true),
    levelparts: view.getUint32(28, true),
  };
}

/** Where each part begins and the last one ends, counted from the start of all bytes. */
function readOffsets(view: DataView, table: number, n: number, start: number): number[] {
  const positions: number[] = [];
  let previous = 0;
  for (let i = 0; i <= n; i++) {
    const offset = view.getUint32(table + 4 * i, true);
    require(offset >= previous && (i > 0 || offset === 0), "offset");
    require(start + offset + CRC_BYTES <= view.byteLength, "offset");
    positions.push(start + offset);
    previous = offset;
  }
  return positions;
}

/** What is wrong with the keys, null when nothing is. */
function wrongKey(
  keys: readonly SortKey[],
  keytype: KeyWire | null,
  sortby: number,
): string | null {
  if (keytype !== null && !takesKeys(sortby, keytype)) return "sortby and keytype disagree";
  let previous: SortKey | null = null;
  for (const key of keys) {
    if (!isKey(key, keytype)) return `sortkey ${String(key)} is not of the response's key type`;
    if (previous !== null && !inOrder(previous, key, sortby)) {
      return `out of order sortkey ${String(key)} with previous ${String(previous)}`;
    }
    previous = key;
  }
  return null;
}

function isKey(key: unknown, keytype: KeyWire | null): key is SortKey {
  switch (keytype) {
    case "int":
      return Number.isSafeInteger(key);
    case "float":
      return typeof key === "number" && !Number.isNaN(key);
    case "str":
      return typeof key === "string";
    case "bytes":
      return key instanceof Uint8Array;
    default:
      return isKey(key, "float") || isKey(key, "str") || isKey(key, "bytes");
  }
}

function isNumeric(keytype: KeyWire | null): boolean {
  return keytype === "int" || keytype === "float";
}

function keyBytes(key: SortKey, keytype: KeyWire | null): Uint8Array {
  if (keytype !== null) return typeof key === "string" ? utf8(key) : (key as Uint8Array);
  if (typeof key === "string") return Buffer.concat([utf8("s"), utf8(key)]);
  if (typeof key !== "number") return Buffer.concat([utf8("b"), key]);
  const tagged = Buffer.from("n________");
  tagged.writeDoubleLE(key, 1);
  return tagged;
}

function keyFrom(bytes: Buffer, keytype: KeyWire | null): SortKey {
  if (keytype === "str") return text(bytes);
  if (keytype === "bytes") return Uint8Array.from(bytes);
  const rest = bytes.subarray(1);
  switch (String.fromCharCode(bytes[0] ?? 0)) {
    case "s":
      return text(rest);
    case "b":
      return Uint8Array.from(rest);
    case "n":
      require(rest.length === 8, "key");
      return rest.readDoubleLE(0);
    default:
      return damaged("key");
  }
}

function totalLength(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

function utf8(value: string): Uint8Array {
  return Buffer.from(value, "utf8");
}

function text(bytes: Buffer): string {
  require(isUtf8(bytes), "text");
  return bytes.toString("utf8");
}

function require(condition: boolean, what: string): void {
  if (!condition) damaged(what);
}

function damaged(what: string): never {
  throw new ResponseError(`damaged partial: invalid ${what}`, "SVC2105");
}
