// Clock of graphs, in whole seconds since 1970. It follows the system clock, not
// runtime/base/clock.ts: users pass absolute times, and these outlive the process.

import { T_NEVER } from "../model/constants.js";
import { NEVER } from "./layout.js";

/** Second at which the running batch started; 0 outside of batches. */
let frozenAt = 0;

let readings = 0;

/** Seconds since 1970. */
export function nowSeconds(): number {
  readings++;
  return frozenAt === 0 ? Math.floor(Date.now() / 1000) : frozenAt;
}

/** Returns how often this thread read the clock: code that raises the number depends on time. */
export function clockReadings(): number {
  return readings;
}

/** Freezes the clock of this thread until `unfreezeClock`; false if it is frozen already. */
export function freezeClock(): boolean {
  if (frozenAt !== 0) return false;
  frozenAt = nowSeconds();
  return true;
}

export function unfreezeClock(): void {
  frozenAt = 0;
}

/** Returns the stored form of a second: times from T_NEVER on, or before 1970, become NEVER. */
export function encodeSecond(second: number): number {
  return second >= T_NEVER || second < 0 ? NEVER : Math.floor(second);
}

/** Returns a stored second in the form users see. */
export function decodeSecond(stored: number): number {
  return stored === NEVER ? T_NEVER : stored;
}
