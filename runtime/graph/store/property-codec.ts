// Packed property values as the values that callers get, and checks of what comes from elsewhere:
//
//   Bytes: themselves   Integers, Floats: float64 each   Map: {int32, float32} each
//   Opaque: output of v8.serialize
//
// All little-endian.

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

/**
 * Packs a value again: what comes out is the same if the bytes are what they say.
 * @throws SvcError SVC2409
 */
export function checkPacked(value: PackedValue): StoredValue {
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
