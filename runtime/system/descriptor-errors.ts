// Errors of a descriptor, worded as in the interface.

import { didYouMean } from "../base/did-you-mean.js";
import { SvcError } from "../base/errors.js";

/** Maximum number of reported errors. */
const MAX_REPORTED = 100;

export class DescriptorErrors {
  readonly #texts: string[] = [];

  /** Adds an invalid or missing value. */
  at(path: string, detail: string): void {
    this.add(`System descriptor "${path}" invalid or missing (${detail})`);
  }

  add(text: string): void {
    this.#texts.push(text);
  }

  /** @throws SvcError SVC2700 if there are errors */
  raise(): void {
    const { length } = this.#texts;
    if (length === 0) return;
    const reported = this.#texts.slice(0, MAX_REPORTED);
    if (length > MAX_REPORTED) reported.push(`and ${length - MAX_REPORTED} more`);
    throw new SvcError("SVC2700", reported.join("\n  "));
  }
}

/** Reports unknown keys: their settings would have no effect. */
export function rejectUnknownKeys(
  given: Readonly<Record<string, unknown>>,
  known: readonly string[],
  inside: string,
  errors: DescriptorErrors,
): void {
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    errors.at(inside + key, `unknown key${didYouMean(key, known)}`);
  }
}
