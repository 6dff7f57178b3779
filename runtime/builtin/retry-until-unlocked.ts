// How the admin executor waits for vertices that others hold: it never blocks, but tries again,
// because queries of others run in the same thread.

import { setTimeout as delay } from "node:timers/promises";
import { LockedError } from "../graph/model/errors.js";

const RETRY_MS = 5;
/** A request is answered by then, whatever its client asked for. */
const MAX_WAIT_MS = 25_000;

/**
 * Makes a change that does all or nothing, once nobody holds what it needs.
 * @param timeoutMs how long to try; 0: once, negative: as long as a request may take
 * @param change is given the milliseconds that it may block for
 * @throws AccessError others hold it for longer, and what `change` throws
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
  // The last attempt says what it waited for.
  return change(Math.min(longest, RETRY_MS));
}
