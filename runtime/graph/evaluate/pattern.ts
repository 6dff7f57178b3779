// Patterns: string literals with stars, which match a prefix, a suffix or a substring.

import { indexOfText } from "./substring-search.js";

export class Pattern {
  private constructor(
    readonly head: string,
    readonly tail: string,
    /** True to match `head` anywhere. */
    readonly isInner: boolean,
  ) {}

  /**
   * Returns the pattern of a literal; null if its stars form none.
   * @param stars offsets of the stars in the text, ascending
   */
  static make(text: string, stars: readonly number[]): Pattern | null {
    const [first = 0, second] = stars;
    const last = text.length - 1;
    if (stars.length === 1) return new Pattern(text.slice(0, first), text.slice(first + 1), false);
    const isInner = stars.length === 2 && first === 0 && second === last && last > 1;
    return isInner ? new Pattern(text.slice(1, last), "", true) : null;
  }

  /** True for `'*'`, which everything matches. */
  get isAny(): boolean {
    return this.head === "" && this.tail === "";
  }

  matches(text: string): boolean {
    if (this.isInner) return indexOfText(this.head, text) >= 0;
    if (text.length < this.head.length + this.tail.length) return false;
    return text.startsWith(this.head) && text.endsWith(this.tail);
  }
}
