// The array in which requests and results are collected for another thread.

import { setImmediate as nextTurn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { collectGarbage } from "../../../../runtime/base/idle-gc.js";
import { Batch } from "../../../../runtime/base/wire/batch.js";

const test = suite("batch");

test("starts a message of its own after each one", () => {
  const batch = new Batch();
  for (const element of [1, "a", null]) batch.add(element);
  assert.is(batch.length, 3);
  const first = batch.take();
  batch.add(2);
  assert.equal([first, batch.length, batch.take(), batch.take()], [[1, "a", null], 1, [2], []]);
});

test("does not keep bodies alive that were posted", async () => {
  const batch = new Batch();
  const post = (): WeakRef<object> => {
    const body = new Uint8Array(10);
    batch.add(body);
    batch.take();
    return new WeakRef(body);
  };
  const posted = post();
  await nextTurn();
  collectGarbage();
  assert.is(posted.deref(), undefined);
  assert.is(batch.length, 0);
});

test.run();
