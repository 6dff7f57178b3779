// The SIMD kernel against the scalar test of one arc, for random filters and arcs.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Arena, createKernelMemory } from "../../../../../runtime/graph/memory/arena.js";
import { ARC_WORDS } from "../../../../../runtime/graph/memory/layout.js";
import { hubKernel } from "../../../../../runtime/graph/query/match/hub-kernel.js";
import { Random, SEED } from "../../../../property/support/random.js";

const MIN_INT = -(2 ** 31);
const MAX_INT = 2 ** 31 - 1;
const test = suite("hub kernel");

test("counts the same arcs as a loop", () => {
  const random = new Random();
  const below = (bound: number): number => random.below(bound);
  const arena = new Arena(0, createKernelMemory());
  const kernel = hubKernel(arena.memory);
  const anyWord = (): number => below(2 ** 32) | 0;
  const first = 3;
  for (let round = 0; round < 300; round++) {
    const arcs = below(40) * 4;
    for (let arc = 0; arc < arcs; arc++) {
      const offset = first + arc * ARC_WORDS;
      arena.ints[offset] = anyWord();
      arena.ints[offset + 1] = ((512 + below(3)) << 16) | ((5 + below(2)) << 8) | below(2);
      arena.ints[offset + 2] = round % 3 === 0 ? below(10) - 5 : anyWord();
    }
    const mask = [0, 0xffff_0000 | 0, 0xffff_ff00 | 0, 0xff00][round & 3]!;
    const want = (((512 + below(3)) << 16) | ((5 + below(2)) << 8)) & mask;
    const flip = below(2) === 0 ? 0 : MIN_INT;
    const fold = below(2) === 0 ? 0 : MAX_INT;
    const bounds = [anyWord(), anyWord()].sort((a, b) => a - b);
    const [low, high] = round % 5 === 0 ? [MIN_INT, MAX_INT] : (bounds as [number, number]);
    let expected = 0;
    let keys = 0;
    for (let offset = first; offset < first + arcs * ARC_WORDS; offset += ARC_WORDS) {
      const value = arena.ints[offset + 2]!;
      const key = value ^ ((value >> 31) & fold) ^ flip;
      if ((arena.ints[offset + 1]! & mask) !== want) continue;
      keys++;
      if (key >= low && key <= high) expected++;
    }
    const range = kernel.countRange(first * 4, arcs, mask, want, flip, fold, low, high);
    assert.is(range, expected, `seed ${SEED}`);
    assert.is(kernel.countKeys(first * 4, arcs, mask, want), keys, `seed ${SEED}`);
  }
});

test("sees an arena grow", () => {
  const arena = new Arena(0, createKernelMemory());
  const kernel = hubKernel(arena.memory);
  arena.grow(1 << 20);
  const first = (1 << 20) - 12;
  for (let arc = 0; arc < 4; arc++) arena.ints[first + arc * ARC_WORDS + 1] = 512 << 16;
  assert.is(kernel.countKeys(first * 4, 4, 0xffff_0000 | 0, 512 << 16), 4);
});

test.run();
