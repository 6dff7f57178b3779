// Waits for locked vertices in the admin executor by retries instead of blocking, because queries
// of other clients run in the same thread.

import { setTimeout as delay } from "node:timers/promises";
import { LockedError } from "../graph/model/errors.js";

const RETRY_MS = 5;
/** Maximum wait, even if the client requests a longer timeout. */
const MAX_WAIT_MS = 25_000;

/**
 * Makes an atomic change when all required vertices are unlocked.
 * @param timeoutMs how long to retry; 0: once, negative: the maximum
 * @param change receives the milliseconds that it may block
 * @throws AccessError if they stay locked, and errors of `change`
 */
export async function retryUntilUnlocked<T>(
  timeoutMs: number,
  change: (timeoutMs: number) => T,
): Promise<T> {
  const longest = timeoutMs < 0 ? MAX_WAIT_MS : Math.min(timeoutMs, MAX_WAIT_MS);
  const giveUpAt = performance.now() + longest - RETRY_MS;
  while (performance.now() < giveUpAt) {
    try {
      return change(0);
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
    }
    await delay(RETRY_MS);
  }
  // The error of the last attempt names the lock.
  return change(Math.min(longest, RETRY_MS));
}
