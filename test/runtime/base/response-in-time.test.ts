// A limit for answers: a late one is ignored, and one in time leaves nothing behind.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { responseInTime } from "../../../runtime/base/response-in-time.js";

const HOUR_MS = 3_600_000;

const test = suite("response in time");

test("rejects if the response does not arrive in time", async () => {
  let fail = (_error: Error): void => undefined;
  const response = new Promise<void>((_resolve, reject) => {
    fail = reject;
  });
  const outcome = await responseInTime(response, 1).catch(({ message }: Error) => message);
  assert.is(outcome, "no response within 1 ms");
  // It is ignored.
  fail(new Error("too late"));
  await new Promise((resolve) => setImmediate(resolve));
});

test("leaves no timer after a response", async () => {
  const { setTimeout: real } = globalThis;
  const timers: NodeJS.Timeout[] = [];
  globalThis.setTimeout = ((run: () => void, ms: number) => {
    timers.push(real(run, ms));
    return timers.at(-1);
  }) as typeof setTimeout;
  try {
    assert.is(await responseInTime(Promise.resolve(7), HOUR_MS), 7);
    const failure = responseInTime(Promise.reject(new Error("no")), HOUR_MS);
    assert.is(await failure.catch(({ message }: Error) => message), "no");
  } finally {
    globalThis.setTimeout = real;
  }
  await new Promise((resolve) => setImmediate(resolve));
  const isOver = (timer: NodeJS.Timeout) => (timer as { _destroyed?: boolean })._destroyed;
  assert.equal(timers.map(isOver), [true, true]);
});

test.run();
