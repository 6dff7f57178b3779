// Replication traffic: rates per second, and snapshot transfers in progress.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Traffic } from "../../../runtime/metrics/traffic.js";

const test = suite("traffic");

test("reports the begin and end of snapshot transfers at once", () => {
  const seen: number[] = [];
  const traffic = new Traffic(() => seen.push(traffic.shown().synchronizing));
  traffic.synchronizing += 2;
  traffic.synchronizing--;
  traffic.synchronizing--;
  assert.equal(seen, [2, 1, 0]);
});

test("does not change rates when read between samples", () => {
  const traffic = new Traffic();
  const before = traffic.shown();
  traffic.count(traffic.in, 1e6, 1, 1);
  const { rateIn, in: sums } = traffic.shown();
  assert.equal([rateIn, sums.bytes], [before.rateIn, 1e6]);
});

test.run();
