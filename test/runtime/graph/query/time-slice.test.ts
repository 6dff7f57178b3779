// Time slices of queries: their end, and the result of an interrupted query.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { TimeSlice } from "../../../../runtime/graph/query/match/time-slice.js";

const test = suite("time slice");
const LATER_MS = 50;

const setUp = (isAwaited: boolean): TimeSlice => new TimeSlice(() => isAwaited);
const later = (ms: number): number => performance.now() + ms;

test("ends a query for which others wait", () => {
  const slice = setUp(true);
  const result = slice.run(() => {
    slice.check(performance.now());
    slice.check(later(LATER_MS));
    return "not reached";
  });
  assert.is(result, null);
  assert.is(slice.takeOver(), true);
  assert.is(slice.takeOver(), false);
});

test("ends a query much later if no other one waits", () => {
  const slice = setUp(false);
  assert.is(
    slice.run(() => {
      slice.check(later(LATER_MS));
      return "done";
    }),
    "done",
  );
  assert.is(slice.takeOver(), false);
  slice.run(() => slice.check(later(1000)));
  assert.is(slice.takeOver(), true);
});

test("ends a query whose error was replaced or caught, or is in a promise", async () => {
  const slice = setUp(true);
  const replaced = (): never => {
    try {
      slice.end();
    } catch {
      throw new RangeError("replaced");
    }
    throw new Error("not reached");
  };
  const caught = (): string => {
    try {
      slice.end();
    } catch {}
    return "result";
  };
  const asynchronous = async (): Promise<void> => slice.end();
  for (const query of [replaced, caught, asynchronous]) {
    assert.is(slice.run<unknown>(query), null);
    assert.is(slice.takeOver(), true, query.name);
  }
});

test("lets other errors pass, and ends nothing outside of a query", () => {
  const slice = setUp(true);
  const fail = (): never => {
    throw new RangeError("own");
  };
  assert.throws(() => slice.run(fail), "own");
  slice.check(later(LATER_MS));
  slice.end();
  assert.is(slice.takeOver(), false);
});

test.run();
