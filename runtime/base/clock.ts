// The clock of the server. It starts at the system's time and is never adjusted while the process
// runs; all threads share it, so that its times may cross threads and be subtracted.

const ORIGIN_MS = performance.timeOrigin;

/** Returns milliseconds since 1970, with fractions. */
export function nowMs(): number {
  return ORIGIN_MS + performance.now();
}

/** Converts a value of `performance.now()` to milliseconds since 1970. */
export function toEpochMs(elapsedMs: number): number {
  return ORIGIN_MS + elapsedMs;
}

/** Returns whole microseconds, 0 at least: V8 stores them in objects without allocating. */
export function elapsedUs(fromMs: number, untilMs: number): number {
  return Math.max(0, Math.round((untilMs - fromMs) * 1000));
}
