// The retry loop: the start of the next attempt, and logged failures.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SvcError } from "../../../runtime/base/errors.js";
import { InterruptibleSleep, RetryLoop } from "../../../runtime/interconnect/retry-loop.js";

const test = suite("retry loop");

function attempts(minDelayMs: number): { events: string[]; tried: RetryLoop } {
  const events: string[] = [];
  const warn = (text: string): number => events.push(text);
  const waits = { minDelayMs, maxDelayMs: minDelayMs * 4 };
  return { events, tried: new RetryLoop({ name: "there", code: "SVC2531", warn, ...waits }) };
}

test("logs a failure when it changes, or after a success", async () => {
  const { events, tried } = attempts(1);
  const outcomes = ["down", "down", "worse", null, "worse", "end"];
  await tried.run(async () => {
    const outcome = outcomes.shift()!;
    if (outcome === null) return tried.succeeded();
    if (outcome === "end") tried.end();
    throw outcome === "worse" ? new SvcError("SVC3363", "worse") : new Error(outcome);
  });
  assert.equal(events, [
    "SVC2531: down (there; tried again)",
    "SVC3363: worse (there; tried again)",
    "SVC3363: worse (there; tried again)",
  ]);
});

test("logs the replacement of a provider even after the end", async () => {
  const { events, tried } = attempts(1);
  await tried.run(async () => {
    tried.end();
    throw new SvcError("SVC2535", "replaced");
  });
  assert.equal(events, ["SVC2535: replaced (there)"]);
});

test("interrupts the wait on end or hurry, even when called before it", async () => {
  const { tried } = attempts(3_600_000);
  let count = 0;
  const done = tried.run(async () => {
    count++;
    if (count === 1) tried.retryNow();
    else setTimeout(count === 2 ? () => tried.retryNow() : () => tried.end());
  });
  await done;
  assert.is(count, 3);
  assert.ok(tried.isOver);
});

test("skips one wait after two calls before it", async () => {
  const alarm = new InterruptibleSleep();
  alarm.wake();
  alarm.wake();
  await alarm.wait(3_600_000);
  let isOver = false;
  const waiting = alarm.wait(3_600_000).then(() => {
    isOver = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.not(isOver);
  alarm.wake();
  await waiting;
});

test.run();
