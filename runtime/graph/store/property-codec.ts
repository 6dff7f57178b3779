// Decodes packed property values to the values that callers get, and validates values received from
// elsewhere. Little-endian:
//
//   Bytes: themselves   Integers, Floats: float64 each   Map: {int32, float32} each
//   Opaque: output of v8.serialize   external: a byte for the kind, then any of these, or UTF-8

import { deserialize } from "node:v8";
import { Float } from "../../base/float.js";
import { MAX_STRING } from "../model/constants.js";
import { DataError } from "../model/errors.js";
import { ExternalValue, type ExternalValues, MAX_DISK_BYTES } from "./external-values.js";
import {
  ITEM_BYTES,
  type PackedKind,
  PackedValue,
  PropertyKind,
  type PropertyValue,
  type StoredValue,
  type ValueLimits,
  validatePropertyValue,
} from "./property-values.js";

/** Returns the value that callers get for a stored value. */
export function decodeStoredValue(stored: StoredValue): PropertyValue {
  if (stored instanceof Float) return stored.value;
  if (!(stored instanceof PackedValue)) return stored;
  if (stored instanceof ExternalValue)
    return decodeStoredValue(decodeExternalValue(stored.content()));
  const { kind, bytes } = stored;
  switch (kind) {
    case PropertyKind.Bytes:
      return new Uint8Array(bytes);
    case PropertyKind.Integers:
    case PropertyKind.Floats:
      return decodeList(bytes);
    case PropertyKind.Map:
      return decodeMap(bytes);
    case PropertyKind.Opaque:
      return deserialize(bytes);
  }
}

/** Limits of external values. A list is limited by its bytes only. */
const ON_DISK: ValueLimits = { bytes: MAX_DISK_BYTES - 1, list: MAX_DISK_BYTES, map: 21_626 };

/**
 * Stores a value externally; a number or null stays in memory, where it needs less.
 * @throws SvcError SVC2411, TypeError, DataError
 */
export function storeExternally(values: ExternalValues, value: unknown): StoredValue {
  const checked = validatePropertyValue(value, ON_DISK);
  if (checked instanceof ExternalValue) return checked;
  if (typeof checked !== "string" && !(checked instanceof PackedValue)) return checked;
  const isText = typeof checked === "string";
  const bytes = isText ? Buffer.from(checked) : checked.bytes;
  const content = new Uint8Array(1 + bytes.length);
  content[0] = isText ? PropertyKind.String : checked.kind;
  content.set(bytes, 1);
  return values.put(content);
}

/** Returns the value in the content of a file. @throws SvcError SVC2409 */
export function decodeExternalValue(content: Uint8Array): string | PackedValue {
  const bytes = content.subarray(1);
  const [kind] = content;
  if (kind === PropertyKind.String) return Buffer.from(bytes).toString();
  if (kind === undefined || !PACKED_KINDS.has(kind)) throw new DataError("corrupt property value");
  return new PackedValue(kind as PackedKind, bytes);
}

const { Bytes, Integers, Floats, Map: Mapped, Opaque } = PropertyKind;
const PACKED_KINDS = new Set<number>([Bytes, Integers, Floats, Mapped, Opaque]);

/**
 * Returns a value of a log record. Decodes and packs it again, which fails or changes its length if
 * the bytes are corrupt. Objects keep their original bytes: V8 may serialize a copy differently,
 * such as that of `[{}]`, and equal graphs must have equal digests.
 * @throws SvcError SVC2409
 */
export function validatePackedValue(value: PackedValue): StoredValue {
  const again = validatePropertyValue(decodeStoredValue(value));
  if (again instanceof PackedValue && again.kind === value.kind) {
    const { length } = value.bytes;
    if (value.kind === PropertyKind.Opaque && length <= MAX_STRING) return value;
    if (again.bytes.length === length) return again;
  }
  throw new DataError("corrupt property value");
}

function decodeList(bytes: Uint8Array): number[] {
  const view = createView(bytes);
  const count = Math.floor(bytes.length / ITEM_BYTES);
  return Array.from({ length: count }, (_, index) => view.getFloat64(index * ITEM_BYTES, true));
}

function decodeMap(bytes: Uint8Array): Map<number, number> {
  const view = createView(bytes);
  const map = new Map<number, number>();
  for (let at = 0; at + ITEM_BYTES <= bytes.length; at += ITEM_BYTES) {
    map.set(view.getInt32(at, true), view.getFloat32(at + 4, true));
  }
  return map;
}

function createView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
