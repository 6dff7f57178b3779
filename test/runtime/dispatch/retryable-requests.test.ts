// Which plugins are retryable, and the retry budget.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MAX_RETRYABLE_PLUGINS, RETRY_BUDGET_BURST } from "../../../runtime/base/limits.js";
import { Dispatcher } from "../../../runtime/dispatch/dispatcher.js";
import { RetryableRequests } from "../../../runtime/dispatch/retryable-requests.js";
import { readMatrixConfig } from "../../../runtime/settings/matrix-config.js";
import { makeRequest } from "./support/make-request.js";

const test = suite("retryable requests");
const GET = makeRequest("/a");

test("retries GETs of plugins that engines report as readonly, until one reports otherwise", () => {
  const requests = new RetryableRequests(4);
  assert.is(requests.has(GET), false);
  requests.recordSuccess(GET, true, 5);
  assert.is(requests.has(GET), true);
  assert.is(requests.has(makeRequest("/a", { method: "POST", body: "x" })), false);
  assert.is(requests.has(makeRequest("/b")), false);
  requests.recordSuccess(GET, false, 5);
  assert.is(requests.has(GET), false);
});

test("counts a POST as a change until its plugin has responded as readonly", () => {
  const requests = new RetryableRequests(4);
  const post = makeRequest("/a", { method: "POST", body: "x" });
  assert.equal([requests.isQuery(GET), requests.isQuery(post)], [true, false]);
  requests.recordSuccess(post, true, 5);
  assert.is(requests.isQuery(post), true);
  requests.recordSuccess(post, false, 5);
  assert.is(requests.isQuery(post), false);
});

test("hedges after the 95th percentile of response times", () => {
  const requests = new RetryableRequests(4);
  assert.is(requests.slowMs(GET), Number.POSITIVE_INFINITY);
  // 1 to 100 ms, in an order without a trend.
  for (let i = 0; i < 20_000; i++) requests.recordSuccess(GET, true, 1 + ((i * 37) % 100));
  const slowMs = requests.slowMs(GET);
  assert.ok(slowMs > 80 && slowMs < 110, String(slowMs));
});

test("allows retries for a tenth of the requests, plus a few per second", () => {
  const requests = new RetryableRequests(4);
  const spend = (ms: number) => {
    return Array.from({ length: 1000 }, () => requests.spend(ms)).filter(Boolean).length;
  };
  assert.is(spend(5000), RETRY_BUDGET_BURST);
  for (let i = 0; i < 101; i++) requests.recordSubmission();
  assert.is(spend(5000), 10);
  assert.is(spend(5500), RETRY_BUDGET_BURST / 2);
  assert.is(spend(60_000), RETRY_BUDGET_BURST);
});

test("allows a retry of each partition of one request, however wide the matrix is", () => {
  const partitions = Array.from({ length: 71 }, (_, n) => [{ host: `127.0.1.${n}`, port: 9000 }]);
  const dispatcher = new Dispatcher(readMatrixConfig({ partitions, replicas: [{}] }));
  assert.ok(partitions.every(() => dispatcher.isRetryAllowed()));
  dispatcher.close();
});

test("bounds the memory for plugin names that clients invent", () => {
  const requests = new RetryableRequests(4);
  for (let i = 0; i < MAX_RETRYABLE_PLUGINS + 10; i++) {
    requests.recordSuccess(makeRequest(`/${i}`), true, 1);
  }
  assert.is(requests.has(makeRequest(`/${MAX_RETRYABLE_PLUGINS - 1}`)), true);
  assert.is(requests.has(makeRequest(`/${MAX_RETRYABLE_PLUGINS}`)), false);
});

test.run();
