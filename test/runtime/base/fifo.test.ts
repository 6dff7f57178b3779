// The FIFO queue against a plain array, with seeded random operations.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Fifo } from "../../../runtime/base/fifo.js";
import { collectGarbage } from "../../../runtime/base/idle-gc.js";

const test = suite("fifo");

test("behaves like an array", () => {
  const seed = Date.now() % 100_000;
  let state = seed;
  const random = (below: number): number => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state % below;
  };
  const fifo = new Fifo<number>();
  const model: number[] = [];
  for (let step = 0; step < 20_000; step++) {
    // The queue grows for a while, then shrinks until it is empty.
    const action = random(step % 4000 < 2500 ? 6 : 12);
    if (action < 3) {
      fifo.push(step);
      model.push(step);
    } else if (action === 3) {
      fifo.unshift(step);
      model.unshift(step);
    } else if (action === 4) {
      assert.is(fifo.pop(), model.pop(), `seed ${seed}, step ${step}`);
    } else {
      assert.is(fifo.shift(), model.shift(), `seed ${seed}, step ${step}`);
    }
    assert.is(fifo.size, model.length, `seed ${seed}, step ${step}`);
    assert.is(fifo.peek(), model[0], `seed ${seed}, step ${step}`);
    assert.is(fifo.last(), model.at(-1), `seed ${seed}, step ${step}`);
    if (step % 100 === 0) assert.equal(fifo.items(), model, `seed ${seed}, step ${step}`);
  }
  assert.equal(fifo.clear(), model, `seed ${seed}`);
  assert.is(fifo.size, 0);
});

test("keeps no large buffer when it is empty", () => {
  const fifo = new Fifo<number>();
  collectGarbage();
  const { heapUsed } = process.memoryUsage();
  for (let n = 0; n < 1_000_000; n++) fifo.push(n);
  for (let n = 0; n < 1_000_000; n++) fifo.shift();
  collectGarbage();
  assert.ok(process.memoryUsage().heapUsed - heapUsed < 2e6);
  assert.is(fifo.size, 0);
});

test.run();
