// Every metric is counted, visible in other views, and a reset removes exactly what was counted
// before it.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Metrics } from "../../../runtime/metrics/metrics.js";
import { serverMetrics } from "../../../runtime/metrics/server-metrics.js";
import { startWorker } from "../../support/start-worker.js";

const test = suite("metrics");
const idle = () => 0;

/** A new table with its first tick at `now`, so that samples are easy to compute. */
function started(): { metrics: Metrics; now: number } {
  const now = Date.now() + 1000;
  const metrics = new Metrics();
  metrics.tick(now, idle);
  return { metrics, now };
}

test("shares counts with a second view", () => {
  const writer = new Metrics();
  const reader = new Metrics(writer.buffer);
  writer.countResponse(200, 1, true);
  writer.countResponse(404, 1, false);
  writer.countRejection(414);
  writer.countBytes(10, 20);
  writer.countConnection(1);
  writer.countConnection(1);
  writer.countConnection(-1);
  writer.countExecutorRestart();
  writer.countStrayException();
  assert.equal(reader.totals(), {
    requests: 3,
    pluginRequests: 1,
    bytesIn: 10,
    bytesOut: 20,
    serviceErrors: 1,
    httpErrors: 2,
    errorsByCode: { 404: 1, 414: 1 },
  });
  assert.is(reader.connectedClients, 1);
  assert.is(reader.totalClients, 2);
  assert.is(reader.executorRestarts, 1);
  assert.is(reader.strayExceptions, 1);
});

test("forgets all counts, even those for monitors", () => {
  const { metrics, now } = started();
  metrics.countResponse(404, 3, true);
  metrics.countBytes(10, 20);
  metrics.countDispatch(0);
  metrics.countJob(0, now, now + 5);
  metrics.countConnection(1);
  metrics.tick(now + 1000, idle);
  metrics.forget();
  metrics.countResponse(200, 1, true);
  metrics.tick(Date.now() + 2000, idle);
  assert.is(metrics.totalsSinceStart().requests, 1);
  assert.equal(metrics.totals().errorsByCode, {});
  assert.is(metrics.totals().bytesOut, 0);
  assert.equal(metrics.dispatch(0), { dispatched: 0, completed: 0 });
  assert.is(metrics.connectedClients, 1);
});

test("counts bytes beyond 32 bits", () => {
  const metrics = new Metrics();
  for (let i = 0; i < 5; i++) metrics.countBytes(2 ** 31, 2 ** 40);
  assert.is(metrics.totals().bytesIn, 5 * 2 ** 31);
  assert.is(metrics.totals().bytesOut, 5 * 2 ** 40);
});

test("counts unknown status codes as errors only", () => {
  const metrics = new Metrics();
  for (const code of [400, 527, 528, 599]) metrics.countRejection(code);
  assert.is(metrics.totals().httpErrors, 4);
  assert.equal(metrics.totals().errorsByCode, { 400: 1, 527: 1 });
});

test("adapts the rate at once to jumps and slowly to small changes", () => {
  const { metrics, now } = started();
  const second = (n: number, count: number) => {
    for (let i = 0; i < count; i++) metrics.countResponse(200, 1, false);
    metrics.tick(now + n * 1000, idle);
  };
  second(1, 100);
  assert.is(metrics.requestRate(), 90);
  second(2, 99);
  const weight = 0.1;
  assert.ok(Math.abs(metrics.requestRate() - (90 + weight * 9)) < 1e-9);
  second(3, 0);
  assert.ok(metrics.requestRate() < 10);
});

test("spreads a long tick over its duration", () => {
  const { metrics, now } = started();
  for (let i = 0; i < 100; i++) metrics.countResponse(200, 1, false);
  metrics.tick(now + 10_000, idle);
  assert.is(metrics.requestRate(), 9);
});

test("does not count old requests as new after an IO thread restart", () => {
  const { metrics, now } = started();
  for (let i = 0; i < 100; i++) metrics.countResponse(200, 1, false);
  const restarted = new Metrics(metrics.buffer);
  restarted.countResponse(200, 1, false);
  restarted.tick(now + 1000, idle);
  assert.is(restarted.requestRate(), 0.9);
});

test("moves the error rate by a tenth", () => {
  const { metrics, now } = started();
  for (let i = 0; i < 10; i++) metrics.countResponse(500, 1, true);
  metrics.tick(now + 1000, idle);
  assert.is(metrics.errorRate(), 1);
});

test("ignores a clock that stands still or runs back", () => {
  const { metrics, now } = started();
  metrics.countResponse(200, 5, false);
  metrics.tick(now, idle);
  metrics.tick(now - 5000, idle);
  assert.is(metrics.requestRate(), 0);
  metrics.tick(now + 1000, idle);
  assert.is(metrics.requestRate(), 0.9);
});

test("separates recent latency from the latency of all requests", () => {
  const { metrics, now } = started();
  for (let i = 0; i < 1000; i++) metrics.countResponse(200, 1, false);
  metrics.tick(now + 1000, idle);
  assert.is(metrics.latency([50]).mean, 1);
  for (let i = 0; i < 10; i++) metrics.countResponse(200, 100, false);
  metrics.tick(now + 2000, idle);
  assert.ok(metrics.latency([80])["80.0"]! > 80);
  assert.ok(metrics.latencyOfAll([80])["80.0"]! < 2);
  assert.is(metrics.latencyOfAll([]).mean, 1.98);
  const before = metrics.latency([50, 99]);
  metrics.tick(now + 3000, idle);
  assert.equal(metrics.latency([50, 99]), before);
});

test("forgets recent latencies after a minute without responses", () => {
  const { metrics, now } = started();
  metrics.countResponse(200, 100, false);
  metrics.tick(now + 1000, idle);
  for (let second = 2; second <= 60; second++) metrics.tick(now + second * 1000, idle);
  assert.is(metrics.latency([95]).mean, 100);
  metrics.tick(now + 61_000, idle);
  assert.equal(metrics.latency([95]), { mean: 0, "95.0": 0 });
  assert.is(metrics.latencyOfAll([]).mean, 100);
});

test("weights a response after a pause as much as the seconds of the pause", () => {
  const { metrics, now } = started();
  metrics.countResponse(200, 100, false);
  metrics.tick(now + 1000, idle);
  metrics.tick(now + 31_000, idle);
  metrics.countResponse(200, 90, false);
  metrics.tick(now + 32_000, idle);
  const { mean } = metrics.latency([]);
  assert.ok(mean! < 91, String(mean));
});

test("counts jobs and utilization per slot, including running jobs", () => {
  const { metrics, now } = started();
  metrics.countDispatch(0);
  metrics.countDispatch(33);
  metrics.countDispatch(33);
  metrics.countJob(0, now + 100, now + 350);
  metrics.countCompletion(0);
  metrics.countCompletion(33);
  metrics.tick(now + 1000, (slot) => (slot === 33 ? now + 500 : 0));
  assert.equal(metrics.slot(0), { jobs: 1, busyPercent: 25 });
  assert.equal(metrics.slot(33), { jobs: 0, busyPercent: 50 });
  // Time counted by the last tick is not counted again.
  metrics.countJob(33, now + 500, now + 1250);
  metrics.tick(now + 2000, idle);
  assert.equal(metrics.slot(33), { jobs: 1, busyPercent: 25 });
  assert.equal(metrics.slot(0), { jobs: 1, busyPercent: 0 });
  assert.equal(metrics.dispatch(0), { dispatched: 1, completed: 1 });
  assert.equal(metrics.dispatch(1), { dispatched: 2, completed: 1 });
});

test("applies a reset of another view at once, without losing later counts", () => {
  const { metrics, now } = started();
  const attached = new Metrics(metrics.buffer);
  metrics.countConnection(1);
  metrics.countJob(3, now, now + 1);
  for (let i = 0; i < 50; i++) metrics.countResponse(503, 9, true);
  metrics.countBytes(7, 8);
  metrics.tick(now + 1000, idle);
  attached.reset(now + 1500);
  for (const view of [metrics, attached]) {
    assert.equal(view.totals(), {
      requests: 0,
      pluginRequests: 0,
      bytesIn: 0,
      bytesOut: 0,
      serviceErrors: 0,
      httpErrors: 0,
      errorsByCode: {},
    });
    assert.is(view.requestRate(), 0);
    assert.is(view.errorRate(), 0);
    assert.equal(view.latency([50]), { mean: 0, "50.0": 0 });
    assert.equal(view.latencyOfAll([50]), { mean: 0, "50.0": 0 });
    assert.is(view.connectedClients, 1);
    assert.is(view.slot(3).jobs, 1);
  }
  metrics.countResponse(200, 2, false);
  assert.is(attached.totals().requests, 1);
  metrics.tick(now + 2000, idle);
  // One request in the half second since the reset.
  assert.is(attached.requestRate(), 0.9 * 2);
  assert.is(attached.requestRateOfAll(now + 3500), 0.5);
  assert.is(attached.latency([]).mean, 2);
});

test("keeps sampling after the system clock is set forward", () => {
  const systemNow = Date.now;
  Date.now = () => systemNow() + 3_600_000;
  try {
    const metrics = new Metrics();
    metrics.reset();
    metrics.countResponse(200, 1, false);
    metrics.tick(performance.timeOrigin + performance.now() + 1000, idle);
    assert.ok(metrics.requestRate() > 0);
  } finally {
    Date.now = systemNow;
  }
});

test("loses no count while another thread resets continuously", async () => {
  const metrics = new Metrics();
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const data = { buffer: metrics.buffer, stop };
  const resetter = startWorker(new URL("./resetter.ts", import.meta.url), data);
  await new Promise((resolve) => resetter.once("message", resolve));
  for (let now = 0; now < 2000; now++) {
    for (let i = 0; i < 100; i++) metrics.countBytes(1, 1);
    metrics.countResponse(200, 1, false);
    metrics.tick(now, idle);
  }
  Atomics.store(stop, 0, 1);
  await new Promise((resolve) => resetter.once("exit", resolve));
  metrics.reset();
  assert.is(metrics.totals().bytesIn, 0);
  metrics.countBytes(3, 4);
  metrics.countResponse(200, 1, false);
  assert.is(metrics.totals().bytesIn, 3);
  assert.is(metrics.totals().requests, 1);
});

test("returns server metrics in the documented shape and order", () => {
  const metrics = new Metrics();
  metrics.countResponse(200, 4, true);
  const record = serverMetrics(metrics, true, [99.9, 50, 50, 12.25]);
  assert.equal(Object.keys(record), [
    "bytes_in",
    "bytes_out",
    "serving",
    "total_requests",
    "connected_clients",
    "request_rate",
    "latency_ms",
  ]);
  assert.equal(Object.keys(record.latency_ms.all), ["mean", "12.25", "50.0", "99.9"]);
  assert.equal(record.request_rate, { current: 0, all: 1 });
  assert.is(record.serving, 1);
  assert.is(serverMetrics(metrics, false, [50]).serving, 0);
});

test("names invalid percentiles in its error", () => {
  const metrics = new Metrics();
  const cases: [unknown, string, RegExp][] = [
    [80, "TypeError", /a list is required/],
    [null, "TypeError", /a list is required/],
    [["80"], "TypeError", /percentile must be numeric/],
    [[0], "ValueError", /percentile must be in range <0,100>/],
    [[50, 100], "ValueError", /percentile must be in range <0,100>/],
    [[Number.NaN], "ValueError", /percentile must be in range <0,100>/],
  ];
  for (const [percentiles, exceptionName, message] of cases) {
    try {
      serverMetrics(metrics, true, percentiles);
      assert.unreachable(`accepted ${JSON.stringify(percentiles)}`);
    } catch (error) {
      assert.is((error as { exceptionName?: string }).exceptionName, exceptionName);
      assert.match((error as Error).message, message);
      assert.is((error as { code?: string }).code, "SVC2001");
    }
  }
});

test.run();
