// The clock of graphs: whole seconds since 1970, read in one place. It follows the system's clock,
// not that of runtime/base/clock.ts: users give absolute times, and they outlive the process.

import { T_NEVER } from "../model/constants.js";
import { NEVER } from "./layout.js";

/** While a batch runs, the second in which it began; else 0. */
let held = 0;

/** Seconds since 1970. */
export function nowSeconds(): number {
  return held === 0 ? Math.floor(Date.now() / 1000) : held;
}

/** Lets all happen in one second, for this thread, until `release`; false if that is so already. */
export function freezeClock(): boolean {
  if (held !== 0) return false;
  held = nowSeconds();
  return true;
}

export function unfreezeClock(): void {
  held = 0;
}

/** The second as it is kept in memory: what lies at or beyond T_NEVER, or before 1970, is NEVER. */
export function encodeSecond(second: number): number {
  return second >= T_NEVER || second < 0 ? NEVER : Math.floor(second);
}

/** The second as users see it. */
export function decodeSecond(stored: number): number {
  return stored === NEVER ? T_NEVER : stored;
}
