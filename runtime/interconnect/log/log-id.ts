// Log id: start time in microseconds since 1970, then 8 random bytes, so that serials of a
// restarted log exceed those of the one before.

import { randomBytes } from "node:crypto";

/** Beyond any real date: a log id of an older version, which was random. */
const LATEST_US = 2 ** 52;

/** Returns a new id of 32 hexadecimal digits. */
export function newLogId(): string {
  const at = (Date.now() * 1000).toString(16).padStart(16, "0");
  return at + randomBytes(8).toString("hex");
}

/** Returns the offset that makes sequence numbers increase across logs. */
export function serialBase(logId: string): number {
  const at = Number(`0x${logId.slice(0, 16)}`);
  return at < LATEST_US ? at : 0;
}
