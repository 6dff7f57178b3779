// Errors of a descriptor, worded as in the interface.

import { didYouMean } from "../base/did-you-mean.js";
import { SvcError } from "../base/errors.js";

/** Maximum number of reported errors. */
const MAX_REPORTED = 100;
/** Maximum characters of one error: names and values in it may be of any length. */
const MAX_LENGTH = 1000;

export class DescriptorErrors {
  readonly #texts: string[] = [];
  #count = 0;

  /** Whether further errors are only counted. */
  get isFull(): boolean {
    return this.#count >= MAX_REPORTED;
  }

  /** Adds an invalid or missing value. */
  at(path: string, detail: string): void {
    this.add(`System descriptor "${path}" invalid or missing (${detail})`);
  }

  add(text: string): void {
    if (!this.isFull) this.#texts.push(text.slice(0, MAX_LENGTH));
    this.#count++;
  }

  /** @throws SvcError SVC2700 if there are errors */
  raise(): void {
    if (this.#count === 0) return;
    const reported = [...this.#texts];
    if (this.#count > MAX_REPORTED) reported.push(`and ${this.#count - MAX_REPORTED} more`);
    throw new SvcError("SVC2700", reported.join("\n  "));
  }
}

/** Reports unknown keys: their settings would have no effect. */
export function rejectUnknownKeys(
  dict: Readonly<Record<string, unknown>>,
  known: readonly string[],
  inside: string,
  errors: DescriptorErrors,
): void {
  for (const key of Object.keys(dict)) {
    if (known.includes(key)) continue;
    errors.at(inside + key, `unknown key${errors.isFull ? "" : didYouMean(key, known)}`);
  }
}
