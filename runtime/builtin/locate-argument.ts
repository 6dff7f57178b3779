// Finds the position of an argument in the text of a query, which is JSON with names of constants
// as values. The text was parsed successfully before.

/** Steps of a path such as `neighbor.arc[1]` or `facets["a b"]`. */
const STEP = /\.?([A-Za-z_]\w*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;
const SPACE = /\s*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
/** Numbers, literals and constants, which may be joined by `|`. */
const WORD = /[^\s,\]}:]+(?:\s*\|\s*\w+)*/y;

/** Returns the number of characters before an argument, or before the last existing part of it. */
export function locateArgument(text: string, path: string): number {
  const reader = new Reader(text);
  reader.skip(SPACE);
  let position = reader.at;
  for (const step of parsePath(path)) {
    if (!reader.enter(step)) break;
    position = reader.at;
  }
  return position;
}

function parsePath(path: string): readonly string[] {
  const steps: string[] = [];
  STEP.lastIndex = 0;
  for (let step = STEP.exec(path); step !== null; step = STEP.exec(path)) {
    const [, name, index, quoted] = step;
    steps.push(quoted === undefined ? (name ?? index!) : (JSON.parse(quoted) as string));
  }
  return steps;
}

class Reader {
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Skips and returns the text that an expression matches at the current position. */
  skip(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const [found] = pattern.exec(this.#text) ?? [""];
    this.at += found.length;
    return found;
  }

  /** Moves from the start of a value to the start of a member or item; false if it has none. */
  enter(step: string): boolean {
    const open = this.#text[this.at];
    if (open !== "{" && open !== "[") return false;
    this.at++;
    for (let index = 0; ; index++) {
      this.skip(SPACE);
      if (this.at >= this.#text.length || "]}".includes(this.#text[this.at]!)) return false;
      const name = open === "[" ? String(index) : this.#readName();
      if (name === step) return true;
      this.#skipValue();
      this.skip(SPACE);
      if (this.#text[this.at] === ",") this.at++;
    }
  }

  #readName(): string {
    const quoted = this.skip(STRING);
    const name = quoted === "" ? this.skip(WORD) : (JSON.parse(quoted) as string);
    this.skip(SPACE);
    if (this.#text[this.at] === ":") this.at++;
    this.skip(SPACE);
    return name;
  }

  #skipValue(): void {
    let depth = 0;
    do {
      this.skip(SPACE);
      const sign = this.#text[this.at] ?? "";
      if ("{[".includes(sign) && sign !== "") depth++;
      if ("}]".includes(sign) && sign !== "") depth--;
      if ("{}[],:".includes(sign)) this.at++;
      else if (this.skip(STRING) === "" && this.skip(WORD) === "") this.at++;
    } while (depth > 0 && this.at < this.#text.length);
  }
}
