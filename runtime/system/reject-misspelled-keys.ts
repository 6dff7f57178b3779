// Detection of misspelled keys.

import { didYouMean } from "../base/did-you-mean.js";
import type { DescriptorErrors } from "./descriptor-errors.js";

/** Reports unknown keys that resemble a known one; other unknown keys are ignored. */
export function rejectMisspelledKeys(
  given: Readonly<Record<string, unknown>>,
  known: readonly string[],
  inside: string,
  errors: DescriptorErrors,
): void {
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    const hint = didYouMean(key, known);
    if (hint !== "") errors.at(inside + key, `unknown key${hint}`);
  }
}
