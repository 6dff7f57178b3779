// Detects clients that no longer wait for a response. A half-closed client may still wait, and
// looks like a closed one until something is sent: after a grace period its requests are dropped,
// but only if they still wait in a queue.

import { HALF_CLOSED_CLIENT_GRACE_MS } from "../base/limits.js";
import type { Exchange } from "./transport.js";

/**
 * Returns whether a request's client has disconnected.
 * @param nowMs milliseconds since 1970
 */
export function isDisconnectError({ aborted, connection }: Exchange, nowMs: number): boolean {
  if (aborted) return true;
  const { endedAtMs } = connection;
  return endedAtMs > 0 && nowMs - endedAtMs >= HALF_CLOSED_CLIENT_GRACE_MS;
}
