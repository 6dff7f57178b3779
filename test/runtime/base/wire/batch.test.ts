// The array in which requests and results are collected for another thread.

import { setImmediate as nextTurn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { collectGarbage } from "../../../../runtime/base/idle-gc.js";
import { Batch } from "../../../../runtime/base/wire/batch.js";

const test = suite("batch");

/** Copies posted messages, as a port does. */
class Posted {
  readonly messages: unknown[][] = [];

  postMessage(message: unknown): void {
    this.messages.push(structuredClone(message) as unknown[]);
  }
}

test("starts another message after each one, of the elements added since", () => {
  const batch = new Batch();
  const port = new Posted();
  for (const element of [0, "a", null]) batch.add(element);
  batch.setFirst(1);
  assert.is(batch.length, 3);
  batch.post(port);
  batch.add(2);
  assert.is(batch.length, 1);
  for (let count = 0; count < 2; count++) batch.post(port);
  assert.equal(port.messages, [[1, "a", null], [2], []]);
});

test("drops a message that cannot be posted", () => {
  const batch = new Batch();
  batch.add(() => {});
  assert.throws(() => batch.post(new Posted()), /could not be cloned/);
  assert.is(batch.length, 0);
});

test("posts each message in the same array", () => {
  const batch = new Batch();
  const arrays = new Set<unknown>();
  const port = { postMessage: (message: unknown) => void arrays.add(message) };
  for (let count = 0; count < 3; count++) {
    batch.add(count);
    batch.post(port);
  }
  assert.is(arrays.size, 1);
});

test("does not keep bodies alive that were posted", async () => {
  const batch = new Batch();
  const post = (): WeakRef<object> => {
    const body = new Uint8Array(10);
    batch.add(body);
    batch.post(new Posted());
    return new WeakRef(body);
  };
  const posted = post();
  await nextTurn();
  collectGarbage();
  assert.is(posted.deref(), undefined);
  assert.is(batch.length, 0);
});

test.run();
