// Whether anybody still waits for an answer. Who ends only its half of a connection may wait for
// it, who closes the whole looks the same until something is sent: after a moment it is taken to be
// gone, but only from the lines that requests wait in.

import { GONE_CLIENT_MS } from "../base/limits.js";
import type { Exchange } from "./transport.js";

/** @param nowMs milliseconds since 1970 */
export function isClientGone({ aborted, connection }: Exchange, nowMs: number): boolean {
  if (aborted) return true;
  const { endedAtMs } = connection;
  return endedAtMs > 0 && nowMs - endedAtMs >= GONE_CLIENT_MS;
}
