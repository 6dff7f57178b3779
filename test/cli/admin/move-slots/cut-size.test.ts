// The size of cuts follows the time for which changes wait.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CutSize, MAX_CUT_WORDS } from "../../../../cli/admin/move-slots/cut-size.js";

const test = suite("size of cuts");

/** Relative size of the cut after one that took so long. */
function factor(heldMs: number, dataMs: number): number {
  const size = new CutSize(MAX_CUT_WORDS);
  const before = size.words;
  size.adapt(heldMs, dataMs);
  return Math.round((size.words / before) * 1000) / 1000;
}

test("lets changes wait for 75 ms", () => {
  assert.is(factor(75, 50), 1);
  assert.is(factor(65, 50), 1.2);
  assert.is(factor(85, 50), 0.8);
});

test("lets content take as long as all else, up to 500 ms", () => {
  assert.is(factor(300, 150), 1);
  assert.is(factor(1500, 500), 1);
});

test("changes by a factor of 2 at most", () => {
  assert.is(factor(20, 1), 2);
  assert.is(factor(1000, 990), 0.5);
});

test("has limits", () => {
  const size = new CutSize(MAX_CUT_WORDS);
  for (let cut = 0; cut < 20; cut++) size.adapt(1000, 990);
  assert.is(size.words, 2 ** 12);
  for (let cut = 0; cut < 20; cut++) size.adapt(20, 1);
  assert.is(size.words, MAX_CUT_WORDS);
  assert.is(new CutSize(100).words, 100);
});

test.run();
