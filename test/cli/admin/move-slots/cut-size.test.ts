// The size of cuts follows the time for which changes wait.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CutSize, MAX_CUT_WORDS } from "../../../../cli/admin/move-slots/cut-size.js";

const test = suite("size of cuts");

/** Relative size of the cut after one of `share` of the planned size that took so long. */
function factor(heldMs: number, dataMs: number, share = 1): number {
  const size = new CutSize(MAX_CUT_WORDS);
  const before = size.words;
  size.adapt(before * share, heldMs, dataMs);
  return Math.round((size.words / before) * 1000) / 1000;
}

test("aims at 50 ms of copying per cut", () => {
  assert.is(factor(70, 50), 1);
  assert.is(factor(50, 40), 1.25);
  assert.is(factor(120, 80), 0.625);
});

test("follows the content of the last cut, not its planned size", () => {
  assert.is(factor(70, 50, 0.75), 0.75);
  assert.is(factor(70, 50, 1.5), 1.5);
});

test("is unchanged after a quick cut of less than half of its size", () => {
  assert.is(factor(20, 1, 0), 1);
  assert.is(factor(50, 1, 0.5), 2);
  assert.is(factor(50, 1, 0.49), 1);
  assert.is(factor(1000, 990, 0.49), 0.5);
});

test("aims at the time of all other steps, up to 500 ms", () => {
  assert.is(factor(800, 400), 1);
  assert.is(factor(1500, 500), 1);
});

test("changes by a factor of 2 at most", () => {
  assert.is(factor(50, 1), 2);
  assert.is(factor(1000, 990), 0.5);
});

test("is small again when the groups change", () => {
  const size = new CutSize(MAX_CUT_WORDS);
  const first = size.words;
  size.adapt(size.words, 20, 1);
  assert.ok(size.words > first);
  size.restart();
  assert.is(size.words, first);
  size.adapt(size.words, 1000, 990);
  size.restart();
  assert.ok(size.words < first);
});

test("stays within its limits", () => {
  const size = new CutSize(MAX_CUT_WORDS);
  for (let cut = 0; cut < 20; cut++) size.adapt(size.words, 1000, 990);
  assert.is(size.words, 2 ** 12);
  for (let cut = 0; cut < 20; cut++) size.adapt(size.words, 20, 1);
  assert.is(size.words, MAX_CUT_WORDS);
  assert.is(new CutSize(100).words, 100);
});

test.run();
