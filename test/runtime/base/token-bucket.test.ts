// Token bucket: events or time refill it, up to its capacity.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RateLimiter, TokenBucket } from "../../../runtime/base/token-bucket.js";

const test = suite("token bucket");

test("is empty after its capacity and takes parts of tokens back", () => {
  const bucket = new TokenBucket(2);
  assert.equal([bucket.take(), bucket.take(), bucket.take()], [true, true, false]);
  bucket.add(0.5);
  assert.not(bucket.take());
  bucket.add(0.5);
  assert.ok(bucket.take());
});

test("keeps no more tokens than its capacity", () => {
  const bucket = new TokenBucket(1);
  bucket.add(100);
  assert.ok(bucket.isFull);
  assert.ok(bucket.take());
  assert.not(bucket.take());
});

test("a rate limiter refills with time", () => {
  const limiter = new RateLimiter(2);
  assert.equal([limiter.take(0), limiter.take(0), limiter.take(0)], [true, true, false]);
  assert.ok(limiter.take(500));
  assert.not(limiter.take(501));
  assert.not(limiter.isFull(1000));
  assert.ok(limiter.isFull(1501));
});

test.run();
