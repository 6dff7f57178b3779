// Identity of a log: when it was begun, in microseconds since 1970, then 8 random bytes. So the
// serials of a log that was begun anew are higher than those of the one before.

import { randomBytes } from "node:crypto";

/** Of no date that can be: a log of an older version, whose identity was random. */
const LATEST_US = 2 ** 52;

/** 32 hexadecimal digits. */
export function newLogId(): string {
  const at = (Date.now() * 1000).toString(16).padStart(16, "0");
  return at + randomBytes(8).toString("hex");
}

/** What is added to the number of a unit, so that it grows across logs. */
export function serialBase(logId: string): number {
  const at = Number(`0x${logId.slice(0, 16)}`);
  return at < LATEST_US ? at : 0;
}
