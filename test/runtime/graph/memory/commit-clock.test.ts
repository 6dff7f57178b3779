// Numbers of flushes, which wrap: those just confirmed stay confirmed.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CommitClock } from "../../../../runtime/graph/memory/commit-clock.js";

const test = suite("commit clock");

test("what was just confirmed stays so when numbers are far from abandoned ones", () => {
  const clock = new CommitClock();
  for (const flush of [2 ** 30, 2 ** 31 - 1, 2 ** 31, 3 * 2 ** 30, 2 ** 32 - 1, 2 ** 32]) {
    clock.confirm(flush - 1);
    clock.confirm(flush);
    assert.equal([clock.isConfirmed(flush - 1), clock.isConfirmed(flush)], [true, true]);
    assert.not.ok(clock.isConfirmed(flush + 1));
  }
});

test.run();
