// Lists, maps and bytes of properties, as they lie in the pool: read in place, never unpacked.

import { ITEM_BYTES, type PackedValue, PropertyKind } from "../store/property-values.js";
import { Pair } from "./values.js";

function viewOf({ bytes }: PackedValue): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Numbers of a list, or bytes; none of anything else. */
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

/** Items of a list or map, bytes of bytes. */
export function packedLength({ kind, bytes }: PackedValue): number {
  if (kind === PropertyKind.Bytes) return bytes.length;
  return kind === PropertyKind.Opaque ? 0 : Math.floor(bytes.length / ITEM_BYTES);
}

/** Keys and values of a map; none of anything else. */
export function packedPairs(packed: PackedValue): Pair[] {
  if (packed.kind !== PropertyKind.Map) return [];
  const view = viewOf(packed);
  return Array.from({ length: packedLength(packed) }, (_, index) => {
    const at = index * ITEM_BYTES;
    return new Pair(view.getInt32(at, true), view.getFloat32(at + 4, true));
  });
}

/** True for lists and bytes whose items are ints. */
export function isIntList({ kind }: PackedValue): boolean {
  return kind === PropertyKind.Integers || kind === PropertyKind.Bytes;
}
