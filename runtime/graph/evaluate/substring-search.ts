// Where a text is part of another one. Both may be a client's, who picks those that take the search
// of the engine as many steps as the product of their lengths; here it is never more than the sum.

/** Below so many steps the engine's own search is faster, whatever the texts are. */
const MAX_PRODUCT = 2 ** 20;

/** First place of a part at or behind `from`, -1 if there is none. */
export function indexOfText(part: string, text: string, from = 0): number {
  if (part.length * (text.length - from) <= MAX_PRODUCT) return text.indexOf(part, from);
  return new PartSearch(part).find(text, from);
}

/** As `text.split(part)`, for a part that is not empty. */
export function splitText(text: string, part: string): string[] {
  if (part.length * text.length <= MAX_PRODUCT) return text.split(part);
  const search = new PartSearch(part);
  const parts: string[] = [];
  let from = 0;
  for (let at = search.find(text, 0); at >= 0; at = search.find(text, from)) {
    parts.push(text.slice(from, at));
    from = at + part.length;
  }
  parts.push(text.slice(from));
  return parts;
}

/** The search of Knuth, Morris and Pratt. */
class PartSearch {
  readonly #part: string;
  /** Of each beginning of the part: the longest shorter one that it ends with. */
  readonly #border: Int32Array;

  constructor(part: string) {
    this.#part = part;
    this.#border = new Int32Array(part.length);
    for (let at = 1, length = 0; at < part.length; at++) {
      length = this.#extended(length, part.charCodeAt(at));
      this.#border[at] = length;
    }
  }

  find(text: string, from: number): number {
    const { length } = this.#part;
    for (let at = from, matched = 0; at < text.length; at++) {
      matched = this.#extended(matched, text.charCodeAt(at));
      if (matched === length) return at + 1 - length;
    }
    return -1;
  }

  /** How much of the part has been seen after one more character. */
  #extended(matched: number, unit: number): number {
    let length = matched;
    while (length > 0 && this.#part.charCodeAt(length) !== unit) length = this.#border[length - 1]!;
    return this.#part.charCodeAt(length) === unit ? length + 1 : length;
  }
}
