// Keys that were meant to be others.

import { nearestHint } from "../base/nearest.js";
import type { Complaints } from "./complaints.js";

/** Keys that nobody knows are left alone, but not those that look like one that was meant. */
export function refuseSlips(
  given: Readonly<Record<string, unknown>>,
  known: readonly string[],
  inside: string,
  complaints: Complaints,
): void {
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    const hint = nearestHint(key, known);
    if (hint !== "") complaints.at(inside + key, `unknown key${hint}`);
  }
}
