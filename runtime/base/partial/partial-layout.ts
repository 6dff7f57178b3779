// Partial format: the bytes of a PluginResponse sent to a dispatcher. Everything that merging needs
// comes first: numbers in a fixed header, then the keys as one array; items follow as JSON texts
// that only the top dispatcher's client decodes. Little-endian.
//
//    0  u32  magic "SVP1"             24  u32  level              56  f64  partials
//    4  u32  length of everything     28  u32  levelparts         64  f64  i0
//    8  u16  version                  32  u32  length of message  72  f64  i1
//   10  u8   key type   11  u8  flags 36  u32  length of meta     80  f64  f2
//   12  u32  sortby                   40  f64  maxhits            88  f64  f3
//   16  u32  number n of entries      48  f64  hitcount
//   20  u32  0
//   96  keys          f64[n] for int and float, else u32[n+1]: offsets in the key bytes
//       item offsets  u32[n+1]: offsets in the item bytes
//       key bytes     text, bytes, or for keys of mixed type `n` + f64, `s` + text, `b` + bytes
//       item bytes    JSON texts
//       message       UTF-8 text, if flag 1
//       meta          JSON text, if flag 2
//       u32           CRC-32 of everything before

import { crc32 } from "node:zlib";
import { ResponseError } from "../errors.js";
import { isSortby, type KeyWire, sortClass, takesKeys } from "../sort-order.js";

/** Numbers of a response, without message, metadata and entries. */
export interface PartialNumbers {
  readonly maxhits: number;
  readonly sortby: number;
  /** Null without keys, or with keys of mixed type. */
  readonly keytype: KeyWire | null;
  readonly hitcount: number;
  readonly level: number;
  readonly levelparts: number;
  readonly partials: number;
  readonly i0: number;
  readonly i1: number;
  readonly f2: number;
  readonly f3: number;
}

/** Offsets of the header fields. */
export const At = {
  Magic: 0,
  Length: 4,
  Version: 8,
  KeyType: 10,
  Flags: 11,
  Sortby: 12,
  Count: 16,
  Zero: 20,
  Level: 24,
  Levelparts: 28,
  MessageLength: 32,
  MetaLength: 36,
  Maxhits: 40,
  Hitcount: 48,
  Partials: 56,
  I0: 64,
  I1: 72,
  F2: 80,
  F3: 88,
} as const;

export const MAGIC = 0x31505653;
export const VERSION = 1;
export const HEADER_BYTES = 96;
export const CRC_BYTES = 4;
export const HAS_MESSAGE = 1;
export const HAS_META = 2;
export const KEY_TYPES: readonly (KeyWire | null)[] = [null, "int", "float", "str", "bytes"];
/** First byte of a key of mixed type. */
export const TAGS = { number: 0x6e, str: 0x73, bytes: 0x62 } as const;
const MAX_BYTES = 2 ** 32 - 1;

/** Lengths of the variable parts. */
export interface PartialLengths {
  readonly count: number;
  /** Bytes of all keys; 0 for numbers. */
  readonly keys: number;
  readonly items: number;
  /** Null: none. */
  readonly message: number | null;
  /** Null: none. */
  readonly meta: number | null;
}

/** Returns whether keys are stored as an array of numbers. */
export function isNumeric(keytype: KeyWire | null): boolean {
  return keytype === "int" || keytype === "float";
}

/** Returns whether a response of that order and key type can have `count` entries. */
export function takesEntries(sortby: number, keytype: KeyWire | null, count: number): boolean {
  if (!isSortby(sortby) || (keytype !== null && !takesKeys(sortby, keytype))) return false;
  const sorts = sortClass(sortby);
  return count === 0 || sorts === "any" || (sorts !== "none" && keytype !== null);
}

/** Returns the bytes of the key array or key offset table. */
export function keyTableBytes(keytype: KeyWire | null, count: number): number {
  return isNumeric(keytype) ? 8 * count : 4 * (count + 1);
}

/** @throws ResponseError if a response is too large in any encoding */
export function requireSize(bytes: number): void {
  if (bytes > MAX_BYTES) throw new ResponseError(`response of ${bytes} bytes is too large`);
}

/**
 * Returns a partial with only its header written.
 * @throws ResponseError if it is too large
 */
export function newPartial(numbers: PartialNumbers, lengths: PartialLengths): Buffer<ArrayBuffer> {
  const { count, message, meta } = lengths;
  const total =
    HEADER_BYTES +
    (keyTableBytes(numbers.keytype, count) + 4 * (count + 1)) +
    (lengths.keys + lengths.items + (message ?? 0) + (meta ?? 0)) +
    CRC_BYTES;
  requireSize(total);
  // Own buffer, so that it can be transferred to another thread.
  const bytes = Buffer.allocUnsafeSlow(total) as Buffer<ArrayBuffer>;
  bytes.writeUInt32LE(MAGIC, At.Magic);
  bytes.writeUInt32LE(total, At.Length);
  bytes.writeUInt16LE(VERSION, At.Version);
  bytes.writeUInt8(KEY_TYPES.indexOf(numbers.keytype), At.KeyType);
  bytes.writeUInt8((message === null ? 0 : HAS_MESSAGE) | (meta === null ? 0 : HAS_META), At.Flags);
  bytes.writeUInt32LE(numbers.sortby, At.Sortby);
  bytes.writeUInt32LE(count, At.Count);
  bytes.writeUInt32LE(0, At.Zero);
  bytes.writeUInt32LE(numbers.level, At.Level);
  bytes.writeUInt32LE(numbers.levelparts, At.Levelparts);
  bytes.writeUInt32LE(message ?? 0, At.MessageLength);
  bytes.writeUInt32LE(meta ?? 0, At.MetaLength);
  bytes.writeDoubleLE(numbers.maxhits, At.Maxhits);
  bytes.writeDoubleLE(numbers.hitcount, At.Hitcount);
  bytes.writeDoubleLE(numbers.partials, At.Partials);
  bytes.writeDoubleLE(numbers.i0, At.I0);
  bytes.writeDoubleLE(numbers.i1, At.I1);
  bytes.writeDoubleLE(numbers.f2, At.F2);
  bytes.writeDoubleLE(numbers.f3, At.F3);
  return bytes;
}

/** Adds the checksum: the last step of writing a partial. */
export function sealed(bytes: Buffer<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const end = bytes.length - CRC_BYTES;
  bytes.writeUInt32LE(crc32(bytes.subarray(0, end)), end);
  return new Uint8Array(bytes.buffer);
}
