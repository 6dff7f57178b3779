// How long a frame waits at each rate, by a clock that stands still.

import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FlowControl, type Throttle } from "../../../runtime/interconnect/flow-control.js";

const NONE: Throttle = { bytes: null, opcodes: null, operations: null, transactions: null };
const test = suite<{ gate: FlowControl; waits: number[]; clock: { now: number } }>("flow control");
const { now } = performance;
const { setTimeout: sleep } = timers;

test.before.each((context) => {
  Object.assign(context, { gate: new FlowControl(), waits: [], clock: { now: 1000 } });
  performance.now = () => context.clock.now;
  timers.setTimeout = (async (ms: number, _value: unknown, options: object) => {
    assert.equal(options, { ref: false }, "a process that ends does not wait");
    context.waits.push(ms);
  }) as typeof timers.setTimeout;
  syncBuiltinESMExports();
});

test.after.each(() => {
  performance.now = now;
  timers.setTimeout = sleep;
  syncBuiltinESMExports();
});

test("passes all frames without a rate", async ({ gate, waits }) => {
  assert.is(gate.isOpen, true);
  await gate.pass(1_000_000, 1000, 1000);
  assert.equal(waits, []);
});

test("a frame waits until all before it fit the rate", async ({ gate, waits, clock }) => {
  gate.throttle = { ...NONE, bytes: 100 };
  await gate.pass(50, 1, 1);
  await gate.pass(25, 1, 1);
  clock.now += 2000;
  await gate.pass(10, 1, 1);
  assert.equal(waits, [500, 750, 100]);
});

test("waits at most until the next heartbeat", async ({ gate, waits, clock }) => {
  gate.throttle = { ...NONE, bytes: 100 };
  await gate.pass(100_000, 1, 1);
  await gate.pass(1, 1, 1);
  clock.now += 5000;
  await gate.pass(1, 1, 1);
  assert.equal(waits, [5000, 5000, 10], "no longer for the next ones either");
});

test("the lowest of several rates decides", async ({ gate, waits, clock }) => {
  gate.throttle = { bytes: 100, operations: 10, opcodes: 40, transactions: 2 };
  for (const [bytes, operations, opcodes] of [
    [300, 1, 1],
    [1, 20, 1],
    [1, 1, 100],
    [1, 1, 1],
  ] as const) {
    await gate.pass(bytes, operations, opcodes);
    clock.now += 5000;
  }
  assert.equal(waits, [3000, 2000, 2500, 500]);
});

test.run();
