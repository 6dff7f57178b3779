// Timeouts and aborts of calls, without leaked timers and listeners.

import { getEventListeners } from "node:events";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CallDeadline } from "../../../client/typescript/call-deadline.js";
import { SvcError } from "../../../client/typescript/svc-error.js";

const test = suite("call deadline");
const HOUR_MS = 3_600_000;

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}

/** Returns the error that `check` throws. */
function checkError(limit: CallDeadline, failure?: SvcError): SvcError {
  try {
    limit.check(failure);
  } catch (error) {
    return error as SvcError;
  }
  throw new Error("the call may go on");
}

test("leaves no timer and no listener after a call in time", () => {
  const before = timers();
  const { signal } = new AbortController();
  const limit = new CallDeadline("/p", HOUR_MS, signal);
  assert.is(timers(), before + 1);
  assert.is(getEventListeners(signal, "abort").length, 1);
  limit.check(undefined);
  limit.end();
  assert.is(timers(), before);
  assert.is(getEventListeners(signal, "abort").length, 0);
});

test("ends a wait at once on abort, and the call with the reason", async () => {
  const before = timers();
  const controller = new AbortController();
  const limit = new CallDeadline("/p", 0, controller.signal);
  const waited = limit.wait(HOUR_MS);
  assert.is(timers(), before + 1);
  controller.abort("enough");
  await waited;
  await limit.wait(HOUR_MS);
  assert.is(timers(), before);
  const error = checkError(limit);
  assert.is(error.kind, "aborted");
  assert.is(error.message, "/p: aborted");
  assert.is(error.cause, "enough");
  limit.end();
});

test("leaves no listener after an undisturbed wait", async () => {
  const limit = new CallDeadline("/p", 0, undefined);
  await limit.wait(1);
  assert.is(getEventListeners(limit.signal, "abort").length, 0);
  limit.check(undefined);
  limit.end();
});

test("ends a wait on timeout, with the earlier failure in the error", async () => {
  const limit = new CallDeadline("/p", 5, undefined);
  await limit.wait(HOUR_MS);
  const failure = new SvcError("http", "full");
  const error = checkError(limit, failure);
  assert.is(error.kind, "timeout");
  assert.is(error.message, "/p: no response within 5 ms");
  assert.is(error.cause, failure);
  limit.end();
});

test("reports the first of timeout and abort", async () => {
  const lateController = new AbortController();
  const timed = new CallDeadline("/p", 5, lateController.signal);
  await timed.wait(HOUR_MS);
  lateController.abort();
  assert.is(checkError(timed).kind, "timeout");
  timed.end();
  const aborted = new CallDeadline("/p", 1, AbortSignal.abort());
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.is(checkError(aborted).kind, "aborted");
  aborted.end();
});

test.run();
