// Patterns: what a text must begin with, end with, or contain. Written as a literal with stars.

import { indexOfText } from "./substring-search.js";

export class Pattern {
  private constructor(
    readonly head: string,
    readonly tail: string,
    /** The text must contain `head`, wherever. */
    readonly isInner: boolean,
  ) {}

  /**
   * The pattern of a literal, null where the stars make none.
   * @param stars places of the stars in the text, ascending
   */
  static make(text: string, stars: readonly number[]): Pattern | null {
    const [first = 0, second] = stars;
    const last = text.length - 1;
    if (stars.length === 1) return new Pattern(text.slice(0, first), text.slice(first + 1), false);
    const isInner = stars.length === 2 && first === 0 && second === last && last > 1;
    return isInner ? new Pattern(text.slice(1, last), "", true) : null;
  }

  /** True if it is `'*'`, which everything matches. */
  get isAny(): boolean {
    return this.head === "" && this.tail === "";
  }

  matches(text: string): boolean {
    if (this.isInner) return indexOfText(this.head, text) >= 0;
    if (text.length < this.head.length + this.tail.length) return false;
    return text.startsWith(this.head) && text.endsWith(this.tail);
  }
}
