// Packs numbers by document that mostly ascend by one, such as vertices and versions. A block of
// 128 stores a base and, in 0, 1, 2 or 4 bytes, how far each number exceeds the base plus its
// position in the block.
//
//   block   {base, first word of the differences << 3 | bytes of a difference}
//
// Offsets are words from the first block. Sums are modulo 2^32.

import { GrowingWords } from "./growing-array.js";
import { BLOCK } from "./segment-layout.js";

const BLOCK_WORDS = 2;
const WIDTH_BITS = 3;
const WIDTH_MASK = (1 << WIDTH_BITS) - 1;
const BLOCK_SHIFT = Math.log2(BLOCK);

/** One memory as words, units and bytes. */
export interface NumberViews {
  readonly words: Uint32Array;
  readonly units: Uint16Array;
  readonly bytes: Uint8Array;
}

export function packNumbers(numbers: Uint32Array, count: number): Uint32Array {
  const packed = new GrowingWords();
  const heads = Math.ceil(count / BLOCK) * BLOCK_WORDS;
  packed.reserve(heads);
  packed.length = heads;
  for (let from = 0, head = 0; from < count; from += BLOCK, head += BLOCK_WORDS) {
    packBlock(numbers.subarray(from, Math.min(from + BLOCK, count)), packed, head);
  }
  return packed.words.subarray(0, packed.length);
}

function packBlock(numbers: Uint32Array, packed: GrowingWords, head: number): void {
  let base = Number.POSITIVE_INFINITY;
  for (const [position, number] of numbers.entries()) base = Math.min(base, number - position);
  let maximum = 0;
  const differences = numbers.map((number, position) => number - position - base);
  for (const difference of differences) maximum = Math.max(maximum, difference);
  const width = maximum === 0 ? 0 : maximum < 0x100 ? 1 : maximum < 0x1_0000 ? 2 : 4;
  packed.words[head] = base;
  packed.words[head + 1] = (packed.length << WIDTH_BITS) | width;
  const words = new Uint32Array(Math.ceil((numbers.length * width) / 4));
  const values = width === 1 ? Uint8Array.from(differences) : Uint16Array.from(differences);
  const bytes = new Uint8Array(width === 4 ? differences.slice().buffer : values.buffer);
  if (width > 0) new Uint8Array(words.buffer).set(bytes);
  for (const word of words) packed.push(word);
}

/** @param start first word of the blocks */
export function numberAt(
  { words, units, bytes }: NumberViews,
  start: number,
  document: number,
): number {
  const block = start + (document >>> BLOCK_SHIFT) * BLOCK_WORDS;
  const position = document & (BLOCK - 1);
  const shape = words[block + 1]!;
  const width = shape & WIDTH_MASK;
  const expected = words[block]! + position;
  if (width === 0) return expected >>> 0;
  const first = start + (shape >>> WIDTH_BITS);
  if (width === 1) return (expected + bytes[first * 4 + position]!) >>> 0;
  const difference = width === 2 ? units[first * 2 + position]! : words[first + position]!;
  return (expected + difference) >>> 0;
}
