// Backoff: the delay grows with each failure up to its maximum, and jitter only shortens it.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Backoff, backoffMs } from "../../../runtime/base/backoff.js";

const test = suite("backoff");

test("doubles the delay up to the maximum, and starts over after a success", () => {
  const backoff = new Backoff({ minMs: 10, maxMs: 65 });
  assert.is(backoff.delayMs, 0);
  assert.equal(
    [1, 2, 3, 4, 5].map(() => backoff.fail()),
    [10, 20, 40, 65, 65],
  );
  assert.is(backoff.failures, 5);
  backoff.reset();
  assert.is(backoff.delayMs, 0);
  assert.is(backoff.fail(), 10);
});

test("grows by the given factor", () => {
  assert.equal(
    [0, 1, 2, 3].map((failures) => backoffMs(failures, { minMs: 8, maxMs: 100, factor: 1.5 })),
    [0, 8, 12, 18],
  );
});

test("jitter takes a random share off the delay", () => {
  const backoff = new Backoff({ minMs: 100, maxMs: 100, jitter: 0.5 });
  backoff.fail();
  const delays = Array.from({ length: 1000 }, () => backoff.delayMs);
  assert.ok(delays.every((ms) => ms > 50 && ms <= 100));
  assert.ok(Math.min(...delays) < 60);
  assert.ok(Math.max(...delays) > 90);
});

test.run();
