// Number of retries that a client has left, and the backoff.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RetryBudget, retryDelayMs } from "../../../client/typescript/retry-budget.js";

const test = suite("retry budget");

function takeAll(budget: RetryBudget): number {
  let taken = 0;
  while (budget.take()) taken++;
  return taken;
}

test("starts with ten, adds one for ten successes, and never exceeds ten", () => {
  const budget = new RetryBudget();
  assert.is(takeAll(budget), 10);
  for (let n = 0; n < 9; n++) budget.succeeded();
  assert.is(takeAll(budget), 0);
  // Tenths do not add up to an integer in binary.
  for (let n = 0; n < 12; n++) budget.succeeded();
  assert.is(takeAll(budget), 2);
  for (let n = 0; n < 1000; n++) budget.succeeded();
  assert.is(takeAll(budget), 10);
});

test("adds jitter up to a limit that doubles to two seconds", () => {
  const bounds = [100, 200, 400, 800, 1600, 2000, 2000];
  for (const [retry, bound] of bounds.entries()) {
    const waits = Array.from({ length: 500 }, () => retryDelayMs(retry));
    assert.ok(Math.min(...waits) >= 0 && Math.min(...waits) < bound / 4, `${retry}`);
    assert.ok(Math.max(...waits) <= bound && Math.max(...waits) > (bound / 4) * 3, `${retry}`);
  }
  assert.ok(retryDelayMs(5000) <= 2000);
});

test.run();
