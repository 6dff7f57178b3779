// Time that passes only when a test says so; no timer ends by itself.

import type { Test } from "uvu";

const { setTimeout: realTimeout } = globalThis;
const { now } = performance;

export interface StoppedTime {
  pass(ms: number): void;
}

/** Stops time for each test of a suite. */
export function withStoppedTime(test: Test<{ time: StoppedTime }>): void {
  test.before.each((context) => {
    context.time = stopTime();
  });
  test.after.each(() => {
    performance.now = now;
    globalThis.setTimeout = realTimeout;
  });
}

function stopTime(): StoppedTime {
  // Whole, so that sums are exact.
  let ms = Math.ceil(now.call(performance));
  performance.now = () => ms;
  globalThis.setTimeout = ((run: () => void) => realTimeout(run, 2 ** 30)) as typeof setTimeout;
  return {
    pass: (passed) => {
      ms += passed;
    },
  };
}
