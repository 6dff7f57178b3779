// Detects clients that no longer wait for a response. A half-closed client may still wait, but
// cannot be told from a closed one before something is sent. After a grace period, its queued
// requests are dropped; running ones are notified.

import { HALF_CLOSED_CLIENT_GRACE_MS } from "../base/limits.js";
import type { Exchange } from "./transport.js";

/**
 * Returns whether a request's client has disconnected.
 * @param nowMs milliseconds since 1970
 */
export function isDisconnected({ aborted, connection }: Exchange, nowMs: number): boolean {
  if (aborted) return true;
  const { endedAtMs } = connection;
  return endedAtMs > 0 && nowMs - endedAtMs >= HALF_CLOSED_CLIENT_GRACE_MS;
}
