// Replication traffic: rates per second, and snapshot transfers in progress.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { NO_TRAFFIC, Traffic, TrafficCounters } from "../../../runtime/metrics/traffic.js";

const test = suite("traffic");

test("reports the begin and end of snapshot transfers at once", () => {
  const observed: number[] = [];
  const traffic = new Traffic(() => observed.push(traffic.shown().synchronizing));
  traffic.synchronizing += 2;
  traffic.synchronizing--;
  traffic.synchronizing--;
  assert.equal(observed, [2, 1, 0]);
});

test("does not change rates when read between samples", () => {
  const traffic = new Traffic();
  const before = traffic.shown();
  traffic.count(traffic.in, 1e6, 1, 1);
  const { rateIn, in: sums } = traffic.shown();
  assert.equal([rateIn, sums.bytes], [before.rateIn, 1e6]);
});

test("a replica that receives nothing falls behind", () => {
  const traffic = new Traffic();
  const { now } = performance;
  try {
    assert.is(traffic.lagMs, 0);
    traffic.setCaughtUp(40);
    const time = now.call(performance);
    performance.now = () => time + 4_000;
    assert.is(traffic.lagMs, 40);
    performance.now = () => time + 60_000;
    const { lagMs } = traffic.shown();
    assert.ok(lagMs >= 60_000 && lagMs <= 60_040, `${lagMs}`);
    traffic.setCaughtUp(5);
    assert.is(traffic.lagMs, 5);
    performance.now = () => time + 120_000;
    traffic.setCaughtUp(null);
    assert.is(traffic.lagMs, 0);
  } finally {
    performance.now = now;
  }
});

test("the time of the last change does not follow a clock that is set back", () => {
  const traffic = new Traffic();
  const { now } = performance;
  const systemNow = Date.now;
  const time = now.call(performance) + 1_000;
  performance.now = () => time;
  Date.now = () => 1;
  try {
    traffic.serial = 1;
    assert.is(traffic.shown().lastChangeAtMs, performance.timeOrigin + time);
  } finally {
    performance.now = now;
    Date.now = systemNow;
  }
});

test("a reader parses each report once, and sees the next one", () => {
  const writer = new TrafficCounters();
  const reader = new TrafficCounters(writer.buffer);
  assert.is(reader.read(), NO_TRAFFIC);
  for (const serial of [1, 2]) {
    writer.write({ ...NO_TRAFFIC, serial });
    const read = reader.read();
    assert.is(read.serial, serial);
    assert.is(reader.read(), read);
  }
});

test.run();
