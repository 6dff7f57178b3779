// Shared rates against a naive token bucket, and by several threads at once.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { takeRate } from "../../../runtime/base/shared-rates.js";

const test = suite("shared rates");
const START_MS = Date.now() + 1000;
const MINUTE_MS = 60_000;

/** Tokens that are refilled evenly. */
class Bucket {
  #tokens: number;
  #at = START_MS;
  constructor(readonly perMinute: number) {
    this.#tokens = perMinute;
  }

  take(timeMs: number): boolean {
    const refilled = ((timeMs - this.#at) / MINUTE_MS) * this.perMinute;
    this.#tokens = Math.min(this.perMinute, this.#tokens + refilled);
    this.#at = timeMs;
    // Times are rounded to 1/64 ms.
    if (this.#tokens < 1 - (0.05 / MINUTE_MS) * this.perMinute) return false;
    this.#tokens--;
    return true;
  }
}

function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test("allow the requests that a token bucket per key allows", () => {
  const random = randomNumbers(7);
  for (const perMinute of [1, 3, 60, 1000, 100_000]) {
    const keys = Array.from({ length: 20 }, (_, number) => `${perMinute} model ${number}`);
    const buckets = new Map(keys.map((key) => [key, new Bucket(perMinute)]));
    let timeMs = START_MS;
    for (let turn = 0; turn < 3000; turn++) {
      timeMs += Math.floor(random() * 40);
      const key = keys[Math.floor(random() * keys.length)]!;
      const { isAllowed, waitMs, remaining } = takeRate(key, perMinute, () => timeMs);
      assert.is(isAllowed, buckets.get(key)!.take(timeMs), `${key} turn ${turn}`);
      assert.is(waitMs > 0, remaining === 0 || !isAllowed, `${key} waits ${waitMs}`);
    }
  }
});

test("report when the next request is allowed", () => {
  const key = "wait";
  for (let sent = 0; sent < 4; sent++) assert.ok(takeRate(key, 4, () => START_MS).isAllowed);
  const { isAllowed, waitMs } = takeRate(key, 4, () => START_MS);
  assert.not.ok(isAllowed);
  assert.ok(Math.abs(waitMs - MINUTE_MS / 4) < 1);
  assert.not.ok(takeRate(key, 4, () => START_MS + waitMs - 5).isAllowed);
  assert.ok(takeRate(key, 4, () => START_MS + waitMs + 5).isAllowed);
});

test("allow a request whose thread was paused while another one counted a later one", () => {
  const times = [START_MS, START_MS + 50];
  const clock = (): number => {
    const timeMs = times.shift()!;
    if (timeMs === START_MS) assert.ok(takeRate("paused", 2, () => START_MS + 40).isAllowed);
    return timeMs;
  };
  assert.ok(takeRate("paused", 2, clock).isAllowed);
  assert.not.ok(takeRate("paused", 2, () => START_MS + 60).isAllowed);
});

test("forget keys whose allowance is complete before all others", () => {
  for (let number = 0; number < 60_000; number++) takeRate(`old ${number}`, 60, () => START_MS);
  const later = START_MS + MINUTE_MS;
  for (let sent = 0; sent < 5; sent++) assert.ok(takeRate("kept", 5, () => later).isAllowed);
  for (let number = 0; number < 20_000; number++) takeRate(`new ${number}`, 60, () => later);
  assert.not.ok(takeRate("kept", 5, () => later).isAllowed);
});

test.run();
