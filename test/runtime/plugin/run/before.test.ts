// Hooks whose results arrive later, by promises of any library.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runBefore } from "../../../../runtime/plugin/run/before.js";

const test = suite("runBefore");
const request = null as never;

/** Resolves later, and returns nothing from `then`. */
const promised = (value: unknown): object => ({
  // biome-ignore lint/suspicious/noThenProperty: what is tested
  then(done: (value: unknown) => void): void {
    setImmediate(() => done(value));
  },
});

test("waits for promises of libraries before it goes on", async () => {
  const callable = Object.assign(() => {}, promised("callable"));
  for (const [returned, result] of [
    [promised("refused"), "refused"],
    [callable, "callable"],
    [promised(undefined), "next"],
  ]) {
    const outcome = runBefore([() => returned, () => "next"], request);
    assert.instance(outcome, Promise, "a hook that is not awaited has refused nothing");
    assert.is(await outcome, result);
  }
});

test("treats a value without `then` as the result", () => {
  // biome-ignore lint/suspicious/noThenProperty: what is tested
  for (const returned of [null, 0, "", { then: 1 }]) {
    assert.is(runBefore([() => returned, () => "next"], request), returned);
  }
});

test.run();
