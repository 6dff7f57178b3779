// Keys that were meant to be others.

import { didYouMean } from "../base/did-you-mean.js";
import type { DescriptorErrors } from "./descriptor-errors.js";

/** Keys that nobody knows are left alone, but not those that look like one that was meant. */
export function rejectMisspelledKeys(
  given: Readonly<Record<string, unknown>>,
  known: readonly string[],
  inside: string,
  complaints: DescriptorErrors,
): void {
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    const hint = didYouMean(key, known);
    if (hint !== "") complaints.at(inside + key, `unknown key${hint}`);
  }
}
