// Numbers of signatures that were used before, against a naive model.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ReplayWindow } from "../../../../runtime/http/auth/replay-window.js";

const test = suite("replay window");
const VALID_MS = 1000;
const WINDOW = 1 << 20;

/** Linear congruential generator. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  };
}

test("accepts each number of a signer once, in any order", () => {
  const random = numbers(20_261_124);
  const window = new ReplayWindow(VALID_MS);
  const used = new Set<number>();
  let start = 0;
  for (let index = 0; index < 200_000; index++) {
    if (random(1000) === 0) start += random(5000);
    const number = start + random(3000);
    assert.is(window.use("a", number, 0), !used.has(number), `${number}`);
    used.add(number);
  }
  assert.ok(window.use("b", start, 0), "another signer");
});

test("refuses numbers below the window, and forgets nothing in it", () => {
  const window = new ReplayWindow(VALID_MS);
  for (const number of [0, 1, 5, WINDOW + 1]) assert.ok(window.use("a", number, 0));
  for (const number of [0, 1, 5, WINDOW + 1]) assert.not.ok(window.use("a", number, 0));
  assert.ok(window.use("a", 2, 0));
  assert.ok(window.use("a", 5 * WINDOW, 0));
  for (const number of [2, WINDOW + 1, 4 * WINDOW]) assert.not.ok(window.use("a", number, 0));
  assert.ok(window.use("a", 4 * WINDOW + 1, 0));
});

test("forgets only signers whose signatures are no longer valid", () => {
  const window = new ReplayWindow(VALID_MS);
  for (let signer = 0; signer < 256; signer++) assert.ok(window.use(`s${signer}`, 1, signer));
  assert.not.ok(window.use("more", 1, VALID_MS));
  for (let signer = 0; signer < 256; signer++) {
    assert.not.ok(window.use(`s${signer}`, 1, VALID_MS), "repeated");
  }
  assert.ok(window.use("more", 1, 2 * VALID_MS + 1));
});

test.run();
