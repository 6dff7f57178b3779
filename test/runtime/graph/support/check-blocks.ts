// Checks the blocks of an arena from outside: each allocated word belongs to one used block or to
// one in a free list.

import * as assert from "uvu/assert";
import type { Arena } from "../../../../runtime/graph/memory/arena.js";
import { blockUnits } from "../../../../runtime/graph/memory/block-allocator.js";
import {
  ALLOCATOR_WORDS,
  ALLOCATORS,
  AllocatorWord,
} from "../../../../runtime/graph/memory/layout.js";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";

export type Block = [start: number, words: number];

const FREE_LISTS = 60;

/** @throws at the first inconsistency */
export function checkBlocks(
  store: Pick<GraphStore, "memory">,
  arena: Arena,
  unitWords: number,
  inUse: readonly Block[],
): void {
  const { words } = store.memory.header;
  const state = ALLOCATORS + arena.id * ALLOCATOR_WORDS;
  const free: Block[] = [];
  for (let sizeClass = 0; sizeClass < FREE_LISTS; sizeClass++) {
    let block = words[state + 1 + sizeClass]!;
    for (; block !== 0; block = arena.words[block]!) {
      free.push([block, blockUnits(sizeClass) * unitWords]);
      assert.ok(free.length < 1e6, `free lists of arena ${arena.id} end`);
    }
  }
  for (let hole = words[state + AllocatorWord.Holes]!; hole !== 0; hole = arena.words[hole]!) {
    free.push([hole, arena.words[hole + 1]!]);
    assert.ok(free.length < 1e6, `holes of arena ${arena.id} end`);
  }
  const freeWords = free.reduce((sum, [, length]) => sum + length, 0);
  assert.is(words[state + ALLOCATOR_WORDS - 1], freeWords, `free words of arena ${arena.id}`);
  let end = unitWords;
  for (const [start, length] of [...free, ...inUse].sort(([a], [b]) => a - b)) {
    assert.is(start, end, `blocks of arena ${arena.id} neither overlap nor leave gaps`);
    end += length;
  }
  assert.is(words[state]! || unitWords, end, `all of arena ${arena.id} that was handed out`);
}

/** Size in words of the smallest block that holds n words. */
export function blockWords(unitWords: number, words: number): number {
  let sizeClass = 0;
  while (blockUnits(sizeClass) * unitWords < words) sizeClass++;
  return blockUnits(sizeClass) * unitWords;
}
