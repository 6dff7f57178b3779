// Which plugins are retryable, and the retry budget.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MAX_RETRYABLE_PLUGINS, RETRY_BUDGET_BURST } from "../../../runtime/base/limits.js";
import { RetryableRequests } from "../../../runtime/dispatch/retryable-requests.js";
import { makeRequest } from "./support/make-request.js";

const test = suite("retryable requests");
const GET = makeRequest("/a");

test("retries GETs of plugins that engines report as readonly, until one reports otherwise", () => {
  const requests = new RetryableRequests();
  assert.is(requests.has(GET), false);
  requests.answered(GET, true, 5);
  assert.is(requests.has(GET), true);
  assert.is(requests.has(makeRequest("/a", { method: "POST", body: "x" })), false);
  assert.is(requests.has(makeRequest("/b")), false);
  requests.answered(GET, false, 5);
  assert.is(requests.has(GET), false);
});

test("counts a POST as a change until its plugin has responded as readonly", () => {
  const requests = new RetryableRequests();
  const post = makeRequest("/a", { method: "POST", body: "x" });
  assert.equal([requests.isQuery(GET), requests.isQuery(post)], [true, false]);
  requests.answered(post, true, 5);
  assert.is(requests.isQuery(post), true);
  requests.answered(post, false, 5);
  assert.is(requests.isQuery(post), false);
});

test("hedges after the 95th percentile of response times", () => {
  const requests = new RetryableRequests();
  assert.is(requests.slowMs(GET), Number.POSITIVE_INFINITY);
  // 1 to 100 ms, in an order without a trend.
  for (let i = 0; i < 20_000; i++) requests.answered(GET, true, 1 + ((i * 37) % 100));
  const slowMs = requests.slowMs(GET);
  assert.ok(slowMs > 80 && slowMs < 110, String(slowMs));
});

test("allows retries for a tenth of the requests, plus a few", () => {
  const requests = new RetryableRequests();
  const spend = () => Array.from({ length: 1000 }, () => requests.spend()).filter(Boolean).length;
  assert.is(spend(), RETRY_BUDGET_BURST);
  for (let i = 0; i < 101; i++) requests.sent();
  assert.is(spend(), 10);
});

test("bounds the memory for plugin names that clients invent", () => {
  const requests = new RetryableRequests();
  for (let i = 0; i < MAX_RETRYABLE_PLUGINS + 10; i++) {
    requests.answered(makeRequest(`/${i}`), true, 1);
  }
  assert.is(requests.has(makeRequest(`/${MAX_RETRYABLE_PLUGINS - 1}`)), true);
  assert.is(requests.has(makeRequest(`/${MAX_RETRYABLE_PLUGINS}`)), false);
});

test.run();
