// Rates of a move: kB is 1000 bytes, KiB is 1024; everything else is refused.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readMoveRate } from "../../../../cli/admin/move-slots/move-rate.js";

const test = suite("move rate");

for (const [text, bytes] of [
  ["50MB/s", 50e6],
  ["1.5 kB", 1500],
  ["2KiB/s", 2048],
  ["2 MiB/s", 2 * 1024 ** 2],
  ["1GiB", 1024 ** 3],
  ["2000B", 2000],
] as const) {
  test(`${text} is ${bytes} bytes per second`, () => {
    assert.is(readMoveRate(text).perSecond, bytes);
  });
}

for (const text of ["", "fast", "50", "999B", "-1MB", "1iB", "1e9MB", "5TB"]) {
  test(`refuses ${JSON.stringify(text)}`, () => {
    assert.throws(() => readMoveRate(text), /--rate: expected a rate such as 50MB\/s/);
  });
}

test.run();
