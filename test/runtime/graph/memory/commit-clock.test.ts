// Numbers of flushes, which wrap: those just confirmed stay confirmed. Joint publications of any
// threads, during which the log thread does not read.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CommitClock } from "../../../../runtime/graph/memory/commit-clock.js";

const test = suite("commit clock");

test("keeps recent flushes confirmed, whatever their number", () => {
  const clock = new CommitClock();
  for (const flush of [2 ** 30, 2 ** 31 - 1, 2 ** 31, 3 * 2 ** 30, 2 ** 32 - 1, 2 ** 32]) {
    clock.confirm(flush - 1);
    clock.confirm(flush);
    assert.equal([clock.isConfirmed(flush - 1), clock.isConfirmed(flush)], [true, true]);
    assert.not.ok(clock.isConfirmed(flush + 1));
  }
});

test("waits while any thread publishes", () => {
  const clock = new CommitClock();
  const read = (): string | null => clock.readBetweenJoints(() => "read");
  const threads = [1, 31, 32, 63, 64, 255];
  for (const thread of threads) {
    clock.setPublishing(thread, true);
    assert.is(read(), null, `while ${thread} publishes`);
    clock.setPublishing(thread, false);
    assert.is(read(), "read");
  }
  for (const thread of threads) clock.setPublishing(thread, true);
  for (const thread of threads) {
    assert.is(read(), null, `until ${thread} and later ones have ended`);
    clock.setPublishing(thread, false);
  }
  assert.is(read(), "read");
});

test("the end of a publication that was not begun, as of a dead thread, changes nothing", () => {
  const clock = new CommitClock();
  clock.setPublishing(33, true);
  clock.setPublishing(34, false);
  assert.is(
    clock.readBetweenJoints(() => "read"),
    null,
  );
  clock.setPublishing(33, false);
  clock.setPublishing(33, false);
  assert.is(
    clock.readBetweenJoints(() => "read"),
    "read",
  );
});

test("a read that overlaps a publication is repeated", () => {
  const clock = new CommitClock();
  let reads = 0;
  clock.readBetweenJoints(() => {
    if (reads++ > 0) return;
    clock.setPublishing(7, true);
    clock.setPublishing(7, false);
  });
  assert.is(reads, 2);
});

test.run();
