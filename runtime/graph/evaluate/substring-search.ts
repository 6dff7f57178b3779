// Substring search in linear time. A client may choose both strings such that the search of the
// JavaScript engine takes the product of their lengths.

/** Below this product of lengths the engine's own search is faster in any case. */
const MAX_PRODUCT = 2 ** 20;

/** Returns the first position of a substring from `from` on; -1 if there is none. */
export function indexOfText(part: string, text: string, from = 0): number {
  if (part.length * (text.length - from) <= MAX_PRODUCT) return text.indexOf(part, from);
  return new PartSearch(part).find(text, from);
}

/** As `text.split(part)`, for a non-empty part. */
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

/** Knuth–Morris–Pratt search. */
class PartSearch {
  readonly #part: string;
  /** Failure function: length of the longest proper border of each prefix. */
  readonly #border: Int32Array;

  constructor(part: string) {
    this.#part = part;
    this.#border = new Int32Array(part.length);
    for (let at = 1, length = 0; at < part.length; at++) {
      length = this.#extendMatch(length, part.charCodeAt(at));
      this.#border[at] = length;
    }
  }

  find(text: string, from: number): number {
    const { length } = this.#part;
    for (let at = from, matched = 0; at < text.length; at++) {
      matched = this.#extendMatch(matched, text.charCodeAt(at));
      if (matched === length) return at + 1 - length;
    }
    return -1;
  }

  /** Returns the matched length after one more character. */
  #extendMatch(matched: number, unit: number): number {
    let length = matched;
    while (length > 0 && this.#part.charCodeAt(length) !== unit) length = this.#border[length - 1]!;
    return this.#part.charCodeAt(length) === unit ? length + 1 : length;
  }
}
