// The one clock of the server. It begins at the system's time and is never set while the process
// runs, and all threads read the same, so that its times may cross threads and be subtracted.

const ORIGIN_MS = performance.timeOrigin;

/** Milliseconds since 1970, with fractions. */
export function nowMs(): number {
  return ORIGIN_MS + performance.now();
}

/** The time at which `performance.now()` gave this value. */
export function toEpochMs(elapsedMs: number): number {
  return ORIGIN_MS + elapsedMs;
}
