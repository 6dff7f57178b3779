// Checks that the limits of type aliases end up in shapes. An alias may be read many times; one
// position that applies its limit suffices.

import type { ts } from "ts-morph";

export class LimitTally {
  readonly #isTaken = new Map<ts.JSDocTag, boolean>();

  note(tag: ts.JSDocTag, isTaken: boolean): void {
    this.#isTaken.set(tag, isTaken || this.#isTaken.get(tag) === true);
  }

  /** Returns the tags that no shape has applied, without repetition. */
  takeMisplaced(): ts.JSDocTag[] {
    const misplaced = [...this.#isTaken].filter(([, isTaken]) => !isTaken).map(([tag]) => tag);
    for (const tag of misplaced) this.#isTaken.set(tag, true);
    return misplaced;
  }
}
