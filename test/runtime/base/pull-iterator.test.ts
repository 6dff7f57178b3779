// An iterator over a pulled source: values, waits, errors, and a consumer that stops.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PullIterator } from "../../../runtime/base/pull-iterator.js";

const test = suite("pull iterator");

/** A source of these values, then of nothing. */
function makeSource(values: unknown[]) {
  const calls: string[] = [];
  let wake = (): void => {};
  return {
    calls,
    wake: () => wake(),
    pull: () => {
      const value = values.shift();
      if (value instanceof Error) throw value;
      return value ?? null;
    },
    wait: () => {
      calls.push("wait");
      return new Promise<void>((resolve) => {
        wake = resolve;
      });
    },
    close: () => void calls.push("close"),
  };
}

test("yields values and waits in between", async () => {
  const values: unknown[] = [1, 2];
  const source = makeSource(values);
  const iterator = new PullIterator(source);
  assert.equal(await iterator.next(), { done: false, value: 1 });
  assert.equal(await iterator.next(), { done: false, value: 2 });
  const third = iterator.next();
  values.push(3);
  source.wake();
  assert.equal(await third, { done: false, value: 3 });
  assert.equal(source.calls, ["wait"]);
});

test("ends at once when the consumer stops during a wait", async () => {
  const source = makeSource([]);
  const iterator = new PullIterator(source);
  const pending = iterator.next();
  await iterator.return();
  assert.equal(await pending, { done: true, value: undefined });
  assert.equal(await iterator.next(), { done: true, value: undefined });
  await iterator.return();
  assert.equal(source.calls, ["wait", "close"]);
});

test("closes its source when leaving a loop, and after an error", async () => {
  const left = makeSource([1, 2]);
  for await (const value of new PullIterator(left)) {
    assert.is(value, 1);
    break;
  }
  assert.equal(left.calls, ["close"]);
  const failing = makeSource([new Error("broken")]);
  const iterator = new PullIterator(failing);
  try {
    await iterator.next();
    assert.unreachable();
  } catch (error) {
    assert.is((error as Error).message, "broken");
  }
  assert.equal(failing.calls, ["close"]);
  assert.equal(await iterator.next(), { done: true, value: undefined });
});

test.run();
