// Whether anybody still waits for an answer. Who ends only its half of a connection may wait for
// it, who closes the whole looks the same until something is sent: after a moment it is taken to be
// gone, but only from the lines that requests wait in.

import { HALF_CLOSED_CLIENT_GRACE_MS } from "../base/limits.js";
import type { Exchange } from "./transport.js";

/** @param nowMs milliseconds since 1970 */
export function isDisconnectError({ aborted, connection }: Exchange, nowMs: number): boolean {
  if (aborted) return true;
  const { endedAtMs } = connection;
  return endedAtMs > 0 && nowMs - endedAtMs >= HALF_CLOSED_CLIENT_GRACE_MS;
}
