// Threads measure themselves in shared memory; a slot is free again when its thread has exited.
// limit: 20 s

import { setTimeout as sleep } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  measureMainThread,
  measureThread,
  reserveThreadGauge,
  threadGauges,
} from "../../../runtime/metrics/thread-gauges.js";

const test = suite("thread gauges");

const names = (): string[] => threadGauges().map(({ thread }) => thread);

test("measures the main thread once", () => {
  measureMainThread();
  measureMainThread();
  assert.equal(names(), ["main"]);
  const [main] = threadGauges();
  assert.ok(main!.heapBytes > 1e6);
  assert.ok(main!.ageSeconds < 60);
});

test("reserves a slot under the name of a thread, and frees it", () => {
  const free = reserveThreadGauge("executor-3");
  assert.equal(names(), ["main", "executor-3"]);
  free();
  assert.equal(names(), ["main"]);
});

test("numbers threads of the same name", () => {
  const frees = [reserveThreadGauge("admin"), reserveThreadGauge("admin")];
  assert.equal(names(), ["main", "admin", "admin-2"]);
  for (const free of frees) free();
});

test("works without a slot when all are taken", () => {
  const frees = Array.from({ length: 200 }, (_, n) => reserveThreadGauge(`executor-${n}`));
  assert.is(threadGauges().length, 80);
  for (const free of frees) free();
  assert.equal(names(), ["main"]);
});

test("measures a blocked event loop and garbage collection", async () => {
  const free = reserveThreadGauge("io");
  measureThread();
  const until = performance.now() + 1500;
  let samples: number[][] = [];
  while (performance.now() < until) {
    samples.push(new Array<number>(1000).fill(1));
    if (samples.length > 100) samples = [];
  }
  // The runner's limit ends a wait that nothing ends.
  while (threadGauges()[1]!.lagSeconds < 0.1) await sleep(10);
  while (threadGauges()[1]!.gcSeconds === 0) await sleep(10);
  free();
});

test.run();
