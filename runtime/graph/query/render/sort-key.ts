// Sort keys of hits, encoded so that bytes compare like the hits, for merging the hits of several
// partitions. A key contains the data that a cursor needs to continue behind the hit.
//
//   u8   2 if names are in descending order, else 1
//   f64  key, with its bits changed so that bytes compare as numbers
//   name, id of the head, id of the tail: each ended by 00 01, 00 within them written as 00 FF
//   u32  level, side, word 1 and value bits of the arc

import type { LastHit } from "../hits/page-position.js";

const ASCENDING = 1;
const DESCENDING = 2;
const KEY_BYTES = 9;
const NUMBERS_BYTES = 16;
const END = Buffer.from([0, 1]);
const ZERO = Buffer.from([0, 0xff]);

export function encodeSortKey(
  { key, name, head, tail, level, side, word1, bits }: LastHit,
  isNameDescending: boolean,
): Uint8Array<ArrayBuffer> {
  const texts = [name, head, tail].map(encodeText);
  if (isNameDescending) invert(texts[0]!, 0);
  const first = Buffer.alloc(KEY_BYTES, isNameDescending ? DESCENDING : ASCENDING);
  // Adding 0 turns -0 into 0, which must have the same key.
  first.writeDoubleBE(key + 0, 1);
  if (key < 0) invert(first, 1);
  else first[1]! |= 0x80;
  const numbers = Buffer.alloc(NUMBERS_BYTES);
  for (const [at, number] of [level, side, word1, bits].entries()) {
    numbers.writeUInt32BE(number >>> 0, at * 4);
  }
  return Uint8Array.from(Buffer.concat([first, ...texts, numbers]));
}

/** Returns the hit of a sort key that `encodeSortKey` made. */
export function decodeSortKey(bytes: Uint8Array): LastHit {
  const copy = Buffer.from(bytes);
  const isNameDescending = copy[0] === DESCENDING;
  if ((copy[1]! & 0x80) !== 0) copy[1]! &= 0x7f;
  else invert(copy.subarray(0, KEY_BYTES), 1);
  const end = copy.length - NUMBERS_BYTES;
  const rest = copy.subarray(KEY_BYTES, end);
  if (isNameDescending) invert(rest.subarray(0, endOfInverted(rest)), 0);
  const name = takeText(rest);
  const head = takeText(rest.subarray(name.bytes));
  const tail = takeText(rest.subarray(name.bytes + head.bytes));
  const [level, side, word1, bits] = [0, 4, 8, 12].map((at) => copy.readUInt32BE(end + at));
  return {
    key: copy.readDoubleBE(1),
    ...{ name: name.text, head: head.text, tail: tail.text },
    ...{ level: level!, side: side!, word1: word1!, bits: bits! },
  };
}

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text);
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, from)) {
    parts.push(bytes.subarray(from, at), ZERO);
    from = at + 1;
  }
  return Buffer.concat([...parts, bytes.subarray(from), END]);
}

function takeText(bytes: Buffer): { readonly text: string; readonly bytes: number } {
  const text: number[] = [];
  let at = 0;
  for (; bytes[at] !== 0 || bytes[at + 1] !== 1; at++) {
    text.push(bytes[at]!);
    if (bytes[at] === 0) at++;
  }
  return { text: Buffer.from(text).toString(), bytes: at + END.length };
}

/** Returns the end of the text that an inverted buffer begins with. */
function endOfInverted(bytes: Buffer): number {
  return bytes.indexOf(Buffer.from([0xff, 0xfe])) + END.length;
}

function invert(bytes: Buffer, from: number): void {
  for (let at = from; at < bytes.length; at++) bytes[at] = ~bytes[at]!;
}
