// Whether the limits of type aliases end up in shapes. An alias may be read many times, and one
// place that takes its limit is enough; one that is read and taken nowhere is reported.

import type { ts } from "ts-morph";
import type { LimitWord } from "../../argspec/limits/limits.js";
import { reportMisplaced } from "./limited-shape.js";
import type { ReadContext } from "./read-context.js";

export class LimitTally {
  readonly #isTaken = new Map<ts.JSDocTag, boolean>();

  note(tag: ts.JSDocTag, isTaken: boolean): void {
    this.#isTaken.set(tag, isTaken || this.#isTaken.get(tag) === true);
  }

  /** Reports each tag that no shape took, once. */
  report(context: ReadContext): void {
    for (const [tag, isTaken] of this.#isTaken) {
      if (isTaken) continue;
      reportMisplaced(context, tag.tagName.text as LimitWord, tag);
      this.#isTaken.set(tag, true);
    }
  }
}
