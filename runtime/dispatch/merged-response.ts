// Encodes a merged response: as a partial for the parent dispatcher and for post-processors, as
// JSON for clients. Items are copied unchanged; JSON needs the keys as text.

import {
  HEADER_BYTES,
  isNumeric,
  newPartial,
  requireSize,
  sealed,
} from "../base/partial/partial-layout.js";
import type { PartialParts } from "../base/partial/partial-parts.js";
import { jsonText } from "../plugin/contract/json-text.js";
import type { EntryOrder, MergedResponse } from "./merge-partials.js";

/**
 * Returns the bytes that `PluginResponse.serialize` would write.
 * @throws ResponseError if they exceed the size limit
 */
export function encodeMerged(merged: MergedResponse): Uint8Array<ArrayBuffer> {
  const { views, order, meta } = merged;
  const { sources, positions } = order;
  const count = sources.length;
  const items = views.map((view) => view.items);
  const keys = isNumeric(merged.keytype) ? null : views.map((view) => view.keys!);
  const bytes = newPartial(merged, {
    count,
    keys: keys === null ? 0 : totalLength(keys, order),
    items: totalLength(items, order),
    message: null,
    meta: meta?.length ?? null,
  });
  let itemTable = HEADER_BYTES + 4 * (count + 1);
  if (keys === null) {
    itemTable = HEADER_BYTES;
    for (let i = 0; i < count; i++) {
      const key = views[sources[i]!]!.numberKey(positions[i]!);
      itemTable = bytes.writeDoubleLE(key, itemTable);
    }
  }
  let at = itemTable + 4 * (count + 1);
  if (keys !== null) at = copyParts(keys, order, bytes, HEADER_BYTES, at);
  at = copyParts(items, order, bytes, itemTable, at);
  if (meta !== null) bytes.set(meta, at);
  return sealed(bytes);
}

/**
 * Returns the bytes of the JSON that `PluginResponse.toJSON` would give.
 * @throws ResponseError if they exceed the size limit
 */
export function mergedJson(merged: MergedResponse): Buffer {
  const { views, order, meta } = merged;
  const { sources, positions } = order;
  const { level, levelparts, partials, hitcount, i0, i1, f2, f3 } = merged;
  const aggregator = [i0, i1, f2, f3];
  const numbers = jsonText({ level, levelparts, partials, hitcount, aggregator });
  const head = `${numbers.slice(0, -1)},"meta":`;
  const metaText = meta ?? NULL;
  const middle = `,"entries":[`;
  const items = views.map((view) => view.items);
  const keyTexts: string[] = [];
  let size = head.length + metaText.length + middle.length + totalLength(items, order) + 2;
  for (let i = 0; i < sources.length; i++) {
    const key = views[sources[i]!]!.key(positions[i]!);
    const text = Number.isFinite(key) ? String(key) : jsonText(key);
    keyTexts.push(text);
    size += Buffer.byteLength(text) + `,[,]`.length;
  }
  requireSize(size);
  const bytes = Buffer.allocUnsafe(size);
  let at = bytes.write(head, 0, "latin1");
  bytes.set(metaText, at);
  at += metaText.length;
  at += bytes.write(middle, at, "latin1");
  for (let i = 0; i < sources.length; i++) {
    at += bytes.write(`${i === 0 ? "" : ","}[${keyTexts[i]},`, at, "utf8");
    at = items[sources[i]!]!.copy(positions[i]!, bytes, at);
    bytes[at++] = CLOSE;
  }
  at += bytes.write("]}", at, "latin1");
  return bytes.subarray(0, at);
}

const NULL = Buffer.from("null");
const CLOSE = "]".charCodeAt(0);

function totalLength(parts: readonly PartialParts[], { sources, positions }: EntryOrder): number {
  let total = 0;
  for (let i = 0; i < sources.length; i++) total += parts[sources[i]!]!.length(positions[i]!);
  return total;
}

/**
 * Writes the parts from `start` on, and the table of their offsets.
 * @returns the end of the last part
 */
function copyParts(
  parts: readonly PartialParts[],
  { sources, positions }: EntryOrder,
  target: Buffer,
  table: number,
  start: number,
): number {
  let at = start;
  target.writeUInt32LE(0, table);
  for (let i = 0; i < sources.length; i++) {
    at = parts[sources[i]!]!.copy(positions[i]!, target, at);
    target.writeUInt32LE(at - start, table + 4 * (i + 1));
  }
  return at;
}
