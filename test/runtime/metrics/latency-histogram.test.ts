// Buckets cover every latency, and percentiles are accurate to the width of a bucket.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BUCKETS, bucketIndex, percentileMs } from "../../../runtime/metrics/latency-histogram.js";

const test = suite("latency histogram");

test("maps growing latencies to growing buckets within the table", () => {
  let last = 0;
  for (let ms = 0.001; ms < 1e9; ms *= 1.05) {
    const bucket = bucketIndex(ms);
    assert.ok(bucket >= last && bucket < BUCKETS, `${ms} ms is in bucket ${bucket}`);
    last = bucket;
  }
  assert.is(last, BUCKETS - 1);
});

test("has four buckets per factor of two", () => {
  for (const ms of [0.011, 0.13, 7, 900]) assert.is(bucketIndex(ms * 2) - bucketIndex(ms), 4);
});

test("counts invalid values in the first bucket", () => {
  for (const ms of [0, -1, Number.NaN]) assert.is(bucketIndex(ms), 0);
  assert.is(bucketIndex(Number.POSITIVE_INFINITY), BUCKETS - 1);
});

test("has no latency without responses", () => {
  assert.is(percentileMs(new Float64Array(BUCKETS), 50), 0);
});

test("computes percentiles of 1 to 1000 ms", () => {
  const counts = new Float64Array(BUCKETS);
  for (let ms = 1; ms <= 1000; ms++) counts[bucketIndex(ms)]!++;
  for (const percentile of [1, 10, 50, 90, 95, 99, 99.9]) {
    const expected = percentile * 10;
    const estimate = percentileMs(counts, percentile);
    assert.ok(
      Math.abs(estimate / expected - 1) < 0.2,
      `${percentile}th: ${estimate} for ${expected}`,
    );
  }
});

test("places a single response within its bucket", () => {
  for (const ms of [0.0005, 0.02, 3, 250, 60_000]) {
    const counts = new Float64Array(BUCKETS);
    counts[bucketIndex(ms)] = 1;
    for (const percentile of [0.1, 50, 99.9]) {
      assert.ok(bucketIndex(percentileMs(counts, percentile)) - bucketIndex(ms) <= 0);
    }
    assert.ok(percentileMs(counts, 99.9) <= ms * 2 ** 0.25 + 0.1);
  }
});

test.run();
