// Text forms of durations and times of day.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decimals, duration, timestamp } from "../../../runtime/builtin/format.js";

const test = suite("format");

test("formats a duration in days, hours, minutes and seconds", () => {
  assert.is(duration(0, 0), "0:00:00:00");
  assert.is(duration(0, 999), "0:00:00:00");
  assert.is(duration(5000, 64_000), "0:00:00:59");
  assert.is(duration(0, 3_600_000 - 1), "0:00:59:59");
  assert.is(duration(0, 86_400_000 * 123 + 86_399_000), "123:23:59:59");
});

test("never formats a negative duration after a clock change", () => {
  assert.is(duration(10_000, 0), "0:00:00:00");
});

test("formats a timestamp in local time", () => {
  assert.is(timestamp(new Date(2026, 10, 9, 8, 7, 6, 999).getTime()), "2026-11-09 08:07:06");
});

test("formats decimals", () => {
  assert.is(decimals(1.005, 1), 1);
  assert.is(decimals(7.1834, 2), 7.18);
});

test.run();
