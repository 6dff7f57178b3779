// Records of answered requests: the last, slowest and failed ones, against a naive model.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { nowMs } from "../../../runtime/base/clock.js";
import { RecentRequests } from "../../../runtime/http/recent-requests.js";
import type { Exchange } from "../../../runtime/http/transport.js";
import { fakeExchange } from "../builtin/fake-view.js";

const SEED = Number(process.env.SEED ?? 38);

/** A linear congruential generator: the same numbers for the same seed. */
function rng(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const test = suite("recent requests");

function request(changes: Partial<Exchange>): Exchange {
  return {
    ...fakeExchange("/svc/plugin/find?n=1"),
    countedPlugin: "/svc/plugin/find",
    isWarmUp: false,
    ...changes,
  } as Exchange;
}

test("returns the last 1000, the 64 slowest and the last 64 failed ones", () => {
  const random = rng(SEED);
  const requests = new RecentRequests();
  const made: { number: number; ms: number; status: number }[] = [];
  for (let number = 1; number <= 3000; number++) {
    const ms = Math.floor(random() * 600_000);
    const status = random() < 0.1 ? 500 : 200;
    requests.add(request({ t0Ms: nowMs() - ms }), 0, status, 10, ms);
    made.push({ number, ms, status });
  }
  const numbers = (list: readonly { number: number }[]) => list.map(({ number }) => number);
  const newest = [...made].reverse();
  assert.equal(numbers(requests.read("recent", 0, 1000)), numbers(newest.slice(0, 1000)));
  assert.equal(numbers(requests.read("recent", 2990, 1000)), numbers(newest.slice(0, 10)));
  const failed = newest.filter(({ status }) => status === 500).slice(0, 64);
  assert.equal(numbers(requests.read("failed", 0, 1000)), numbers(failed));
  const slow = [...made].sort((a, b) => b.ms - a.ms).slice(0, 64);
  const durations = requests.read("slow", 0, 1000).map(({ ms }) => Math.round(ms / 1000));
  assert.equal(
    durations,
    slow.map(({ ms }) => Math.round(ms / 1000)),
  );
  assert.is(requests.next, 3000);
  const lists = ["recent", "slow", "failed"] as const;
  const read = lists.map((state) => [state, requests.read(state, 0, 5000).length] as const);
  assert.equal(requests.counts(), Object.fromEntries(read));
});

test("records no calls of the admin port, no late warm-up calls and no files", () => {
  const requests = new RecentRequests();
  requests.add(request({}), 1, 200, 0, 1);
  requests.add(request({ isWarmUp: true, aborted: true }), 0, 200, 0, 1);
  requests.add(request({ countedPlugin: null }), 0, 200, 0, 1);
  assert.is(requests.read("recent", 0, 10).length, 0);
});

test("forgets the calls of a warm-up", () => {
  const requests = new RecentRequests();
  for (const status of [200, 500, 200]) {
    requests.add(request({ isWarmUp: true, t0Ms: nowMs() - 60_000 }), 0, status, 0, 60_000);
  }
  assert.equal(requests.counts(), { recent: 3, slow: 3, failed: 1 });
  requests.forget();
  assert.equal(requests.counts(), { recent: 0, slow: 0, failed: 0 });
  for (const state of ["recent", "slow", "failed"] as const) {
    assert.equal(requests.read(state, 0, 10), []);
  }
  for (let n = 0; n < 70; n++) requests.add(request({ t0Ms: nowMs() - 100 }), 0, 500, 0, 100);
  assert.equal(requests.counts(), { recent: 70, slow: 64, failed: 64 });
  assert.is(requests.read("recent", 0, 1)[0]?.number, 70);
});

test("shows no slow request for longer than 15 minutes", () => {
  const requests = new RecentRequests();
  requests.add(request({ t0Ms: nowMs() - 1_000_000 }), 0, 200, 0, 1_000_000);
  requests.add(request({ t0Ms: nowMs() - 100 }), 0, 200, 0, 100);
  assert.equal(
    requests.read("slow", 0, 10).map(({ number }) => number),
    [2],
  );
});

test("omits the query of long targets", () => {
  const requests = new RecentRequests();
  const target = `/svc/plugin/find?text=${"x".repeat(600)}`;
  requests.add(request({ target }), 0, 200, 0, 1);
  assert.is(requests.read("recent", 0, 1)[0]?.target, "/svc/plugin/find");
});

test.run();
