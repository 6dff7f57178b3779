// Property values: which are valid, their stored form, and increments. A value is validated and
// packed once, before any change; property table and log records only carry it.

import { serialize } from "node:v8";
import { Float } from "../../base/float.js";
import { MAX_STRING } from "../model/constants.js";
import { ValueError } from "../model/errors.js";

/** Values that filters can inspect; anything else that can be cloned is stored opaquely. */
export type PropertyValue =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | readonly number[]
  | ReadonlyMap<number, number>
  | object;

/** Kinds of values in cells and log records. */
export const PropertyKind = {
  Null: 1,
  /** An integer, or a non-integral float. */
  Number: 2,
  /** An integral float. */
  Float: 3,
  String: 4,
  Bytes: 5,
  /** Float64 each, which represents every accepted integer. */
  Integers: 6,
  Floats: 7,
  /** {int32, float32} each. */
  Map: 8,
  /** Output of `v8.serialize` for anything else. */
  Opaque: 9,
  /** Any of these on disk, by file name; see external-values.ts. */
  External: 10,
} as const;
export type PropertyKindNumber = (typeof PropertyKind)[keyof typeof PropertyKind];
export type PackedKind = Exclude<PropertyKindNumber, 1 | 2 | 3 | 4 | 10>;

/** A value that does not fit in a cell, as bytes. */
export class PackedValue {
  constructor(
    readonly kind: PackedKind,
    readonly bytes: Uint8Array,
  ) {}
}

/** A validated value in stored form. */
export type StoredValue = null | number | string | Float | PackedValue;

/** Bytes of a list item, or of a map entry. */
export const ITEM_BYTES = 8;
/** Maximum size of a value: bytes, items of lists and maps. */
export interface ValueLimits {
  readonly bytes: number;
  readonly list: number;
  readonly map: number;
}
const IN_MEMORY: ValueLimits = { bytes: MAX_STRING, list: 16_375, map: 5_406 };
const MAX_KEY_SHOWN = 100;
const KEY = /^[A-Za-z][A-Za-z0-9_.#$%@]*$/;

/**
 * Returns the property key if it is valid.
 * @throws SvcError SVC2411 "invalid property key: 'x'"
 */
export function validatePropertyKey(key: unknown): string {
  if (typeof key === "string" && key.length <= MAX_STRING && KEY.test(key)) return key;
  const shown = typeof key === "string" ? key.slice(0, MAX_KEY_SHOWN) : typeof key;
  throw new ValueError(`invalid property key: '${shown}'`);
}

/**
 * Returns the value in stored form; a stored value is returned unchanged. Booleans become 0 or 1,
 * undefined becomes null.
 * @throws SvcError SVC2411 if it is out of range or too large
 * @throws TypeError if it cannot be cloned, such as a function
 */
export function validatePropertyValue(value: unknown, limits = IN_MEMORY): StoredValue {
  if (typeof value === "number") return checkedNumber(value);
  if (typeof value === "string") return checkedText(value, limits);
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "bigint") return checkedInteger(value);
  if (value instanceof Float) return toStoredFloat(value.value);
  if (value instanceof PackedValue) return value;
  if (value instanceof Uint8Array) return packed(PropertyKind.Bytes, new Uint8Array(value), limits);
  if (Array.isArray(value) && isNumbers(value)) return packedList(value, limits);
  if (value instanceof Map && [...value].every(isMappedNumber)) return packedMap(value, limits);
  return packedObject(value, limits);
}

/**
 * Returns the sum of a stored value and an increment; an integer if both are.
 * @param value stored value, undefined if absent
 * @throws SvcError SVC2411 if it is not a number, or the sum is out of range
 */
export function incrementValue(value: PropertyValue | undefined, by: unknown): number | Float {
  const added = validatePropertyValue(by);
  if (!isNumeric(added) || Number.isNaN(added)) throw new TypeError("a number is required");
  if (value === undefined) return added;
  const old = validatePropertyValue(value);
  if (!isNumeric(old)) throw new ValueError("Vertex property cannot be incremented");
  const sum = toNumber(old) + toNumber(added);
  return isInteger(old) && isInteger(added) ? checkedNumber(sum) : toStoredFloat(sum);
}

/** Returns the number, without distinguishing integral floats from integers. */
export function toNumber(value: number | Float): number {
  return typeof value === "number" ? value : value.value;
}

/** Returns a float in stored form. */
function toStoredFloat(value: number): number | Float {
  return Number.isInteger(value) ? new Float(value) : value;
}

function isNumeric(value: StoredValue): value is number | Float {
  return typeof value === "number" || value instanceof Float;
}

function isInteger(value: number | Float): boolean {
  return typeof value === "number" && Number.isInteger(value);
}

function checkedInteger(value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new ValueError("integer value out of range");
}

/** Larger whole numbers are floats: no 64-bit integer can be meant. */
const MIN_REAL = 2 ** 63;

function checkedNumber(value: number): number | Float {
  if (!isLongInteger(value)) return value;
  if (Math.abs(value) >= MIN_REAL) return new Float(value);
  throw new ValueError("integer value out of range");
}

/** Returns whether a number is whole, but too large to be an exact integer. */
function isLongInteger(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

/** Returns a number from a cell or a record in stored form: large whole ones are floats. */
export function toStoredNumber(value: number): number | Float {
  return isLongInteger(value) ? new Float(value) : value;
}

function checkedText(text: string, limits: ValueLimits): string {
  // At most three bytes per UTF-16 unit, so short texts need no counting.
  if (text.length * 3 > limits.bytes) checkSize(Buffer.byteLength(text), limits);
  return text;
}

function checkSize(bytes: number, limits: ValueLimits): void {
  if (bytes <= limits.bytes) return;
  throw new ValueError(`property value too long: ${bytes} bytes, max is ${limits.bytes}`);
}

function packed(kind: PackedKind, bytes: Uint8Array, limits: ValueLimits): PackedValue {
  checkSize(bytes.length, limits);
  return new PackedValue(kind, bytes);
}

function packedList(items: readonly number[], limits: ValueLimits): PackedValue {
  if (items.length > limits.list) throw new ValueError("too many values");
  const isFloats = items.some((item) => !Number.isInteger(item) || Math.abs(item) >= MIN_REAL);
  if (!isFloats) items.forEach(checkedNumber);
  const bytes = new Uint8Array(items.length * ITEM_BYTES);
  const view = new DataView(bytes.buffer);
  items.forEach((item, index) => {
    view.setFloat64(index * ITEM_BYTES, item, true);
  });
  return packed(isFloats ? PropertyKind.Floats : PropertyKind.Integers, bytes, limits);
}

function packedMap(map: ReadonlyMap<number, number>, limits: ValueLimits): PackedValue {
  if (map.size > limits.map) throw new ValueError("too many mapped values");
  const bytes = new Uint8Array(map.size * ITEM_BYTES);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [key, value] of map) {
    view.setInt32(at, key, true);
    view.setFloat32(at + 4, value, true);
    at += ITEM_BYTES;
  }
  return packed(PropertyKind.Map, bytes, limits);
}

function packedObject(value: unknown, limits: ValueLimits): PackedValue {
  let bytes: Uint8Array;
  try {
    bytes = serialize(value);
  } catch (error) {
    throw new TypeError(`property value cannot be stored: ${(error as Error).message}`);
  }
  return packed(PropertyKind.Opaque, bytes, limits);
}

function isNumbers(items: readonly unknown[]): items is readonly number[] {
  // Unlike `every`, `findIndex` also visits holes.
  return items.findIndex((item) => typeof item !== "number") < 0;
}

function isMappedNumber([key, value]: readonly [unknown, unknown]): boolean {
  return typeof value === "number" && typeof key === "number" && (key | 0) === key;
}
