// Time, timers and intervals that only a test advances.

import type { Test } from "uvu";

const { now } = performance;
const { setTimeout: realTimeout, setInterval: realInterval } = globalThis;
const { clearTimeout: realClear, clearInterval: realClearInterval } = globalThis;
/** No timer ends by itself. */
const NEVER_MS = 2 ** 30;

interface Timer {
  now: number;
  readonly run: () => void;
  /** Null: it ends once. */
  readonly everyMs: number | null;
}

export interface StoppedTime {
  pass(ms: number): void;
  /** Number of timers and intervals that have not ended. */
  readonly timers: number;
}

/** Stops time for each test of a suite. */
export function withStoppedTime(test: Test<{ time: StoppedTime }>): void {
  test.before.each((context) => {
    context.time = stopTime();
  });
  test.after.each(() => {
    performance.now = now;
    [globalThis.setTimeout, globalThis.setInterval] = [realTimeout, realInterval];
    [globalThis.clearTimeout, globalThis.clearInterval] = [realClear, realClearInterval];
  });
}

function stopTime(): StoppedTime {
  // Whole, so that sums are exact.
  let nowMs = Math.ceil(now.call(performance));
  const timers = new Map<unknown, Timer>();
  const start = (run: () => void, ms: number, isRepeated: boolean): NodeJS.Timeout => {
    const handle = realTimeout(run, NEVER_MS);
    timers.set(handle, { now: nowMs + ms, run, everyMs: isRepeated ? ms : null });
    return handle;
  };
  const end = (handle: NodeJS.Timeout | undefined): void => {
    timers.delete(handle);
    realClear(handle);
  };
  performance.now = () => nowMs;
  globalThis.setTimeout = ((run: () => void, ms = 0) => start(run, ms, false)) as never;
  globalThis.setInterval = ((run: () => void, ms = 0) => start(run, ms, true)) as never;
  globalThis.clearTimeout = end as typeof clearTimeout;
  globalThis.clearInterval = end as typeof clearInterval;
  return {
    pass: (ms) => {
      nowMs += ms;
      for (const [handle, timer] of timers) {
        if (timer.now > nowMs) continue;
        if (timer.everyMs === null) end(handle as NodeJS.Timeout);
        else timer.now += timer.everyMs;
        timer.run();
      }
    },
    get timers() {
      return timers.size;
    },
  };
}
