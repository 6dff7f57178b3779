// The loops over runs of arcs: count or copy those that pass a filter. They run between two looks
// at a sequence, over words that may be torn: they must trust nothing but the bounds they are
// given, allocate nothing, and see one kind of array only.

import { ARC_WORDS } from "../../memory/layout.js";
import type { ArcTest } from "./arc-test.js";

export function countKeys(test: ArcTest, words: Uint32Array, from: number, end: number): number {
  const { mask, want } = test;
  let count = 0;
  for (let arc = from; arc < end; arc += ARC_WORDS) {
    if ((words[arc + 1]! & mask) === want) count++;
  }
  return count;
}

export function countRange(test: ArcTest, words: Uint32Array, from: number, end: number): number {
  const { mask, want, flip, fold, low, high } = test;
  let count = 0;
  for (let arc = from; arc < end; arc += ARC_WORDS) {
    if ((words[arc + 1]! & mask) !== want) continue;
    const word = words[arc + 2]! | 0;
    const key = word ^ ((word >> 31) & fold) ^ flip;
    if (key >= low && key <= high) count++;
  }
  return count;
}

export function countMatches(test: ArcTest, words: Uint32Array, from: number, end: number): number {
  let count = 0;
  for (let arc = from; arc < end; arc += ARC_WORDS) {
    if (test.matches(words[arc + 1]!, words[arc + 2]!)) count++;
  }
  return count;
}

/** Where a copying loop writes and where it stops; it leaves the place behind the last arc. */
export interface CopyTarget {
  words: Uint32Array;
  /** Next word to be written. */
  top: number;
}

export function copyAll(words: Uint32Array, from: number, end: number, to: CopyTarget): void {
  const out = to.words;
  let top = to.top;
  for (let word = from; word < end; word++) out[top++] = words[word]!;
  to.top = top;
}

/** @param stop place in the target at which it holds enough */
export function copyKeys(
  test: ArcTest,
  words: Uint32Array,
  from: number,
  end: number,
  to: CopyTarget,
  stop: number,
): void {
  const { mask, want } = test;
  const out = to.words;
  let top = to.top;
  for (let arc = from; arc < end && top < stop; arc += ARC_WORDS) {
    const word1 = words[arc + 1]!;
    if ((word1 & mask) !== want) continue;
    out[top] = words[arc]!;
    out[top + 1] = word1;
    out[top + 2] = words[arc + 2]!;
    top += ARC_WORDS;
  }
  to.top = top;
}

export function copyRange(
  test: ArcTest,
  words: Uint32Array,
  from: number,
  end: number,
  to: CopyTarget,
  stop: number,
): void {
  const { mask, want, flip, fold, low, high } = test;
  const out = to.words;
  let top = to.top;
  for (let arc = from; arc < end && top < stop; arc += ARC_WORDS) {
    const word1 = words[arc + 1]!;
    if ((word1 & mask) !== want) continue;
    const word2 = words[arc + 2]!;
    const key = word2 ^ ((word2 >> 31) & fold) ^ flip;
    if (key < low || key > high) continue;
    out[top] = words[arc]!;
    out[top + 1] = word1;
    out[top + 2] = word2;
    top += ARC_WORDS;
  }
  to.top = top;
}

export function copyMatches(
  test: ArcTest,
  words: Uint32Array,
  from: number,
  end: number,
  to: CopyTarget,
  stop: number,
): void {
  const out = to.words;
  let top = to.top;
  for (let arc = from; arc < end && top < stop; arc += ARC_WORDS) {
    if (!test.matches(words[arc + 1]!, words[arc + 2]!)) continue;
    out[top] = words[arc]!;
    out[top + 1] = words[arc + 1]!;
    out[top + 2] = words[arc + 2]!;
    top += ARC_WORDS;
  }
  to.top = top;
}

/** Copies those of the arcs at some positions of a run that pass. */
export function copyPlaces(
  test: ArcTest,
  words: Uint32Array,
  run: number,
  positions: readonly number[],
  to: CopyTarget,
): void {
  const out = to.words;
  let top = to.top;
  for (const position of positions) {
    const arc = run + position * ARC_WORDS;
    if (!test.matches(words[arc + 1]!, words[arc + 2]!)) continue;
    out[top] = words[arc]!;
    out[top + 1] = words[arc + 1]!;
    out[top + 2] = words[arc + 2]!;
    top += ARC_WORDS;
  }
  to.top = top;
}
