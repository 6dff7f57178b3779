// What replication shows of itself: rates of a second or so, and that graphs come as snapshots.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Traffic } from "../../../runtime/metrics/traffic.js";

const test = suite("traffic");

test("that snapshots begin and end to come is shown at once", () => {
  const seen: number[] = [];
  const traffic = new Traffic(() => seen.push(traffic.shown().synchronizing));
  traffic.synchronizing += 2;
  traffic.synchronizing--;
  traffic.synchronizing--;
  assert.equal(seen, [2, 1, 0]);
});

test("what is shown in between leaves rates as they are", () => {
  const traffic = new Traffic();
  const before = traffic.shown();
  traffic.count(traffic.in, 1e6, 1, 1);
  const { rateIn, in: sums } = traffic.shown();
  assert.equal([rateIn, sums.bytes], [before.rateIn, 1e6]);
});

test.run();
