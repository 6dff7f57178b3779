// Converts a PluginResponse between plain data and the bytes sent to a dispatcher. Dispatchers
// merge the bytes without decoding. Layout: `partial-layout.ts`.

import { ResponseError } from "../errors.js";
import { isSortedPair, type KeyWire, type SortKey, sortbyText } from "../sort-order.js";
import {
  HEADER_BYTES,
  isNumeric,
  newPartial,
  type PartialNumbers,
  sealed,
  TAGS,
  takesEntries,
} from "./partial-layout.js";
import { PartialView } from "./partial-view.js";

/** Plain data of a response; `items` and `meta` are JSON texts. */
export interface Partial extends PartialNumbers {
  readonly message: string | null;
  readonly meta: string | null;
  readonly keys: readonly SortKey[];
  readonly items: readonly string[];
}

const NOTHING = new Uint8Array(0);

/** @throws ResponseError if keys do not match `keytype`, or are out of order */
export function encodePartial(partial: Partial): Uint8Array<ArrayBuffer> {
  const { keys, keytype, sortby } = partial;
  const error = findKeyError(keys, keytype, sortby);
  if (error !== null) throw new ResponseError(error);
  const numeric = isNumeric(keytype);
  const keyParts = numeric ? [] : keys.map((key) => keyBytes(key, keytype));
  const itemParts = partial.items.map(utf8);
  const message = partial.message === null ? null : utf8(partial.message);
  const meta = partial.meta === null ? null : utf8(partial.meta);
  const bytes = newPartial(partial, {
    count: keys.length,
    keys: totalLength(keyParts),
    items: totalLength(itemParts),
    message: message?.length ?? null,
    meta: meta?.length ?? null,
  });
  let at = HEADER_BYTES;
  if (numeric) {
    for (const key of keys) at = bytes.writeDoubleLE(key as number, at);
  } else {
    at = writeOffsets(bytes, at, keyParts);
  }
  at = writeOffsets(bytes, at, itemParts);
  for (const part of [...keyParts, ...itemParts, message ?? NOTHING, meta ?? NOTHING]) {
    bytes.set(part, at);
    at += part.length;
  }
  return sealed(bytes);
}

function writeOffsets(bytes: Buffer, start: number, parts: readonly Uint8Array[]): number {
  let at = bytes.writeUInt32LE(0, start);
  let offset = 0;
  for (const part of parts) {
    offset += part.length;
    at = bytes.writeUInt32LE(offset, at);
  }
  return at;
}

/** @throws ResponseError for anything that `encodePartial` does not write */
export function decodePartial(data: Uint8Array): Partial {
  const view = new PartialView(data, "partial");
  const { maxhits, sortby, keytype, hitcount, level, levelparts, partials } = view;
  const { i0, i1, f2, f3, message, meta } = view;
  const keys: SortKey[] = [];
  const items: string[] = [];
  for (let i = 0; i < view.count; i++) {
    keys.push(view.key(i));
    items.push(view.items.text(i));
  }
  return {
    ...{ maxhits, sortby, keytype, hitcount, level, levelparts, partials },
    ...{ i0, i1, f2, f3, message, keys, items },
    meta: meta === null ? null : meta.toString("utf8"),
  };
}

/** Returns why the keys are invalid, or null. */
function findKeyError(
  keys: readonly SortKey[],
  keytype: KeyWire | null,
  sortby: number,
): string | null {
  if (!takesEntries(sortby, keytype, keys.length)) {
    const sorting = `sortby ${sortbyText(sortby)} and keytype ${keytype}`;
    return `${sorting} do not match ${keys.length} entries`;
  }
  let previous: SortKey | null = null;
  for (const key of keys) {
    if (!isKey(key, keytype)) return `sortkey ${String(key)} is not of the response's key type`;
    if (previous !== null && !isSortedPair(previous, key, sortby)) {
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

function keyBytes(key: SortKey, keytype: KeyWire | null): Uint8Array {
  if (keytype !== null) return typeof key === "string" ? utf8(key) : (key as Uint8Array);
  if (typeof key === "string") return Buffer.concat([Buffer.of(TAGS.str), utf8(key)]);
  if (typeof key !== "number") return Buffer.concat([Buffer.of(TAGS.bytes), key]);
  const tagged = Buffer.alloc(9, TAGS.number);
  tagged.writeDoubleLE(key, 1);
  return tagged;
}

function totalLength(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

function utf8(value: string): Uint8Array {
  return Buffer.from(value, "utf8");
}
