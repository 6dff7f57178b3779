// What is wrong with a descriptor, in the words that the interface has for it.

import { SvcError } from "../base/errors.js";

/** More than anybody reads. */
const MAX_TOLD = 100;

export class DescriptorErrors {
  readonly #texts: string[] = [];

  /** A value that is wrong or missing. */
  at(path: string, detail: string): void {
    this.add(`System descriptor "${path}" invalid or missing (${detail})`);
  }

  add(text: string): void {
    this.#texts.push(text);
  }

  /** @throws SvcError SVC2700 if there are any */
  raise(): void {
    const { length } = this.#texts;
    if (length === 0) return;
    const told = this.#texts.slice(0, MAX_TOLD);
    if (length > MAX_TOLD) told.push(`and ${length - MAX_TOLD} more`);
    throw new SvcError("SVC2700", told.join("\n  "));
  }
}
