// Elapsed times as whole microseconds.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { elapsedUs, nowMs } from "../../../runtime/base/clock.js";

const test = suite("clock");

test("rounds elapsed time to whole microseconds", () => {
  const fromMs = nowMs();
  assert.is(elapsedUs(fromMs, fromMs + 1.5), 1500);
  assert.is(elapsedUs(10.25, 10.2504), 0);
  assert.is(elapsedUs(10.25, 10.2506), 1);
});

test("returns 0, never -0, for a time before its start", () => {
  for (const until of [8, 9.9999]) assert.ok(Object.is(elapsedUs(10, until), 0));
});

test.run();
