// Bit-packed blocks of 128 numbers in four lanes, with one bit width per block.

import { BLOCK, LANES } from "./segment-layout.js";

const ROWS = BLOCK / LANES;
const LANE_SHIFT = Math.log2(LANES);

/** Returns the bit width of the greatest number. */
export function bitsFor(values: Uint32Array): number {
  let all = 0;
  for (let at = 0; at < BLOCK; at++) all |= values[at]!;
  return 32 - Math.clz32(all);
}

/** Number of words of a block with a given bit width. */
export function packedWords(bits: number): number {
  return bits * LANES;
}

/** Packs 128 numbers. The words must be 0. */
export function packBlock(
  values: Uint32Array,
  bits: number,
  words: Uint32Array,
  start: number,
): void {
  for (let row = 0, bit = 0; row < ROWS; row++, bit += bits) {
    const offset = bit & 31;
    const at = start + (bit >>> 5) * LANES;
    const isSplit = offset + bits > 32;
    for (let lane = 0; lane < LANES; lane++) {
      const value = values[row * LANES + lane]!;
      words[at + lane]! |= value << offset;
      if (isSplit) words[at + LANES + lane]! |= value >>> (32 - offset);
    }
  }
}

/** Unpacks a block. */
export function unpackBlock(
  words: Uint32Array,
  start: number,
  bits: number,
  values: Uint32Array,
): void {
  if (bits === 0) {
    values.fill(0, 0, BLOCK);
    return;
  }
  const mask = bits === 32 ? -1 : (1 << bits) - 1;
  for (let row = 0, bit = 0; row < ROWS; row++, bit += bits) {
    const offset = bit & 31;
    const at = start + (bit >>> 5) * LANES;
    const to = row * LANES;
    if (offset + bits > 32) {
      const rest = 32 - offset;
      values[to] = ((words[at]! >>> offset) | (words[at + 4]! << rest)) & mask;
      values[to + 1] = ((words[at + 1]! >>> offset) | (words[at + 5]! << rest)) & mask;
      values[to + 2] = ((words[at + 2]! >>> offset) | (words[at + 6]! << rest)) & mask;
      values[to + 3] = ((words[at + 3]! >>> offset) | (words[at + 7]! << rest)) & mask;
    } else {
      values[to] = (words[at]! >>> offset) & mask;
      values[to + 1] = (words[at + 1]! >>> offset) & mask;
      values[to + 2] = (words[at + 2]! >>> offset) & mask;
      values[to + 3] = (words[at + 3]! >>> offset) & mask;
    }
  }
}

/** Unpacks one number of a block. */
export function unpackNumber(
  words: Uint32Array,
  start: number,
  bits: number,
  position: number,
): number {
  if (bits === 0) return 0;
  const bit = (position >>> LANE_SHIFT) * bits;
  const offset = bit & 31;
  const at = start + (bit >>> 5) * LANES + (position & (LANES - 1));
  const low = words[at]! >>> offset;
  const value = offset + bits > 32 ? low | (words[at + LANES]! << (32 - offset)) : low;
  return bits === 32 ? value >>> 0 : value & ((1 << bits) - 1);
}

/**
 * Unpacks a block of gaps to ascending numbers.
 * @param before the number before the first one
 */
export function unpackAscending(
  words: Uint32Array,
  start: number,
  bits: number,
  values: Uint32Array,
  before: number,
): void {
  const mask = bits === 32 ? -1 : (1 << bits) - 1;
  let last = before + 1;
  for (let row = 0, bit = 0; row < ROWS; row++, bit += bits) {
    const offset = bit & 31;
    const at = start + (bit >>> 5) * LANES;
    const to = row * LANES;
    let first = words[at]! >>> offset;
    let second = words[at + 1]! >>> offset;
    let third = words[at + 2]! >>> offset;
    let fourth = words[at + 3]! >>> offset;
    if (offset + bits > 32) {
      const rest = 32 - offset;
      first |= words[at + 4]! << rest;
      second |= words[at + 5]! << rest;
      third |= words[at + 6]! << rest;
      fourth |= words[at + 7]! << rest;
    }
    last += first & mask;
    values[to] = last;
    last += 1 + (second & mask);
    values[to + 1] = last;
    last += 1 + (third & mask);
    values[to + 2] = last;
    last += 1 + (fourth & mask);
    values[to + 3] = last++;
  }
}
