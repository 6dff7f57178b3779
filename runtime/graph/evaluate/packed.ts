// Reads lists, maps and bytes of properties in place, without unpacking them.

import { ITEM_BYTES, type PackedValue, PropertyKind } from "../store/property-values.js";
import { Pair } from "./values.js";

function viewOf({ bytes }: PackedValue): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Returns the numbers of a list, or bytes; empty for anything else. */
export function packedNumbers(packed: PackedValue): ArrayLike<number> {
  const { kind, bytes } = packed;
  if (kind === PropertyKind.Bytes) return bytes;
  if (kind !== PropertyKind.Integers && kind !== PropertyKind.Floats) return [];
  const view = viewOf(packed);
  const numbers = new Float64Array(packedLength(packed));
  for (let index = 0; index < numbers.length; index++) {
    numbers[index] = view.getFloat64(index * ITEM_BYTES, true);
  }
  return numbers;
}

/** Returns the number of items of a list or map, or of bytes. */
export function packedLength({ kind, bytes }: PackedValue): number {
  if (kind === PropertyKind.Bytes) return bytes.length;
  return kind === PropertyKind.Opaque ? 0 : Math.floor(bytes.length / ITEM_BYTES);
}

/** Returns the keys and values of a map; empty for anything else. */
export function packedPairs(packed: PackedValue): Pair[] {
  if (packed.kind !== PropertyKind.Map) return [];
  const view = viewOf(packed);
  return Array.from({ length: packedLength(packed) }, (_, index) => {
    const at = index * ITEM_BYTES;
    return new Pair(view.getInt32(at, true), view.getFloat32(at + 4, true));
  });
}

/** Returns whether the items of a list or bytes are ints. */
export function isIntList({ kind }: PackedValue): boolean {
  return kind === PropertyKind.Integers || kind === PropertyKind.Bytes;
}
