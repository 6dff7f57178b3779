// Shifts the monotonic clock forward.

/** Runs `check` as if n milliseconds had passed. */
export function later(ms: number, check: () => void): void {
  const { now } = performance;
  const atMs = now.call(performance) + ms;
  performance.now = () => atMs;
  try {
    check();
  } finally {
    performance.now = now;
  }
}
