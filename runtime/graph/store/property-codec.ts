// Property values as bytes, for records of operations, and bytes as the values that callers get:
//
//   kind byte, then  Null: nothing              Number, Float: float64
//                    String: UTF-8              Bytes: themselves
//                    Integers, Floats: float64 each
//                    Map: {int32, float32} each Opaque: output of v8.serialize
//
// All little-endian. Reading takes nothing for granted: records come from elsewhere.

import { deserialize } from "node:v8";
import { Float } from "../../base/float.js";
import { DataError } from "../model/errors.js";
import {
  checkedValue,
  ITEM_BYTES,
  PackedValue,
  PropertyKind,
  type PropertyValue,
  type StoredValue,
} from "./property-values.js";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The bytes of a value.
 * @throws SvcError SVC2411, TypeError as `checkedValue`
 */
export function encodeProperty(value: PropertyValue): Uint8Array {
  const stored = checkedValue(value);
  if (stored === null) return Uint8Array.of(PropertyKind.Null);
  if (typeof stored === "number") return encodeNumber(PropertyKind.Number, stored);
  if (stored instanceof Float) return encodeNumber(PropertyKind.Float, stored.value);
  const isText = typeof stored === "string";
  const payload = isText ? Buffer.from(stored) : stored.bytes;
  const bytes = new Uint8Array(1 + payload.length);
  bytes[0] = isText ? PropertyKind.String : stored.kind;
  bytes.set(payload, 1);
  return bytes;
}

/**
 * The value that such bytes hold, as it is stored.
 * @throws SvcError SVC2409 if they hold none
 */
export function decodeProperty(bytes: Uint8Array): StoredValue {
  const [kind] = bytes;
  const payload = new Uint8Array(bytes.subarray(1));
  try {
    switch (kind) {
      case PropertyKind.Null:
        if (payload.length > 0) break;
        return null;
      case PropertyKind.Number:
      case PropertyKind.Float:
        if (payload.length !== 8) break;
        return decodeNumber(kind, new DataView(payload.buffer).getFloat64(0, true));
      case PropertyKind.String:
        return checkedValue(utf8.decode(payload));
      case PropertyKind.Bytes:
        return checkedValue(payload);
      case PropertyKind.Integers:
      case PropertyKind.Floats:
      case PropertyKind.Map:
      case PropertyKind.Opaque:
        return checkPacked(new PackedValue(kind, payload));
    }
  } catch (error) {
    throw new DataError("damaged property value", { cause: error });
  }
  throw new DataError("damaged property value");
}

/** What callers get for a stored value. */
export function plainValue(stored: StoredValue): PropertyValue {
  if (stored instanceof Float) return stored.value;
  if (!(stored instanceof PackedValue)) return stored;
  const { kind, bytes } = stored;
  switch (kind) {
    case PropertyKind.Bytes:
      return new Uint8Array(bytes);
    case PropertyKind.Integers:
    case PropertyKind.Floats:
      return listOf(bytes);
    case PropertyKind.Map:
      return mapOf(bytes);
    case PropertyKind.Opaque:
      return deserialize(bytes);
  }
}

function encodeNumber(kind: number, value: number): Uint8Array {
  const bytes = new Uint8Array(9);
  bytes[0] = kind;
  new DataView(bytes.buffer).setFloat64(1, value, true);
  return bytes;
}

function decodeNumber(kind: number, value: number): StoredValue {
  if (kind === PropertyKind.Number) return checkedValue(value);
  if (!Number.isInteger(value)) throw new DataError("damaged property value");
  return new Float(value);
}

/** Packs the value again: what comes out is the same if the bytes are what they say. */
function checkPacked(value: PackedValue): StoredValue {
  const again = checkedValue(plainValue(value));
  if (again instanceof PackedValue && again.kind === value.kind) {
    if (value.kind === PropertyKind.Opaque || again.bytes.length === value.bytes.length)
      return again;
  }
  throw new DataError("damaged property value");
}

function listOf(bytes: Uint8Array): number[] {
  const view = viewOf(bytes);
  const count = Math.floor(bytes.length / ITEM_BYTES);
  return Array.from({ length: count }, (_, index) => view.getFloat64(index * ITEM_BYTES, true));
}

function mapOf(bytes: Uint8Array): Map<number, number> {
  const view = viewOf(bytes);
  const map = new Map<number, number>();
  for (let at = 0; at + ITEM_BYTES <= bytes.length; at += ITEM_BYTES) {
    map.set(view.getInt32(at, true), view.getFloat32(at + 4, true));
  }
  return map;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
