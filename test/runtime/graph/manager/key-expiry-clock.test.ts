// Idempotency keys stay for ten minutes whatever happens to the system clock.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { KeyExpiryClock } from "../../../../runtime/graph/manager/key-expiry-clock.js";

const HOUR = 3600;
const test = suite<{ clock: KeyExpiryClock }>("clock of idempotency keys");
let elapsedMs = 0;
/** Difference between the system clock and the elapsed time. */
let offset = 1_000_000;

test.before.each((context) => {
  [elapsedMs, offset] = [12_345, 1_000_000];
  context.clock = new KeyExpiryClock(() => elapsedMs);
});

const second = (): number => Math.floor(offset + elapsedMs / 1000);

/** Reads the clock each second; returns the highest second up to which keys were due. */
function wait(clock: KeyExpiryClock, seconds: number): number {
  let due = clock.read(second());
  for (let passed = 0; passed < seconds; passed++) {
    elapsedMs += 1000;
    due = Math.max(due, clock.read(second()));
  }
  return due;
}

/** Returns the second at which a key created now expires. */
const expiryOfKey = (): number => second() + 600;

test("keys expire after one or two lifespans", ({ clock }) => {
  for (const delay of [0, 1, 300, 599]) {
    wait(clock, delay);
    const expiry = expiryOfKey();
    assert.ok(wait(clock, 599) < expiry);
    assert.ok(wait(clock, 602) >= expiry);
  }
});

test("keys stay for their lifespan when the system clock is set", ({ clock }) => {
  for (const step of [HOUR, -HOUR, HOUR, HOUR, -2 * HOUR]) {
    wait(clock, 1300);
    const expiry = expiryOfKey();
    wait(clock, 1);
    offset += step;
    const afterStep = expiryOfKey();
    assert.ok(wait(clock, 598) < expiry, `step of ${step}`);
    assert.ok(wait(clock, 1) < afterStep, `step of ${step}`);
  }
});

test("keys stay when a wrong system clock is corrected", ({ clock }) => {
  for (const wrongSeconds of [500, 1300]) {
    wait(clock, 1300);
    offset += HOUR;
    wait(clock, wrongSeconds);
    offset -= HOUR;
    const expiry = expiryOfKey();
    assert.ok(wait(clock, 599) < expiry);
  }
});

test("keys of another instance or process stay for a lifespan", ({ clock }) => {
  for (const lag of [HOUR, 0, -HOUR]) {
    const expiry = expiryOfKey() - lag;
    assert.ok(wait(clock, 599) < expiry, `lag of ${lag}`);
    wait(clock, 2000);
    clock.reset();
  }
});

test.run();
