// How long a retry loop waits between attempts.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { InterruptibleSleep, RetryLoop } from "../../../runtime/interconnect/retry-loop.js";
import { settle } from "./support/provided-stream.js";
import { type StoppedTime, withStoppedTime } from "./support/stopped-time.js";

const test = suite<{ time: StoppedTime }>("delays of a retry loop");
withStoppedTime(test);

test("waits longer after each failure, until an attempt lasts long enough", async ({ time }) => {
  const { random } = Math;
  Math.random = () => 0;
  try {
    const tried = new RetryLoop({
      ...{ name: "there", code: "SVC2531", warn: () => undefined },
      ...{ minDelayMs: 100, maxDelayMs: 400 },
    });
    const begun: number[] = [];
    const lasting = [0, 0, 0, 0, 400, 401, 0];
    const startedAt = performance.now();
    const done = tried.run(async () => {
      begun.push(performance.now() - startedAt);
      time.pass(lasting.shift()!);
      if (lasting.length === 0) tried.end();
    });
    for (let ms = 0; ms < 4_000; ms += 10) {
      await settle();
      time.pass(10);
    }
    await done;
    // 400 ms is the longest delay; the attempt that lasted for 401 ms ends it.
    assert.equal(begun, [0, 100, 300, 700, 1100, 1900, 2401]);
  } finally {
    Math.random = random;
  }
});

test("keeps no timer of a wait that was interrupted", async ({ time }) => {
  const alarm = new InterruptibleSleep();
  const waiting = alarm.wait(1000);
  assert.is(time.timers, 1);
  alarm.wake();
  await waiting;
  assert.is(time.timers, 0);
});

test.run();
