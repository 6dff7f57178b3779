// Compiles a regular expression to a program of instructions: consume a character, branch, assert.
// Rejects backreferences, lookaround and programs that are too long. The syntax is that of
// JavaScript with the flag `u`, which validates it first.

export type Instruction =
  | { readonly kind: "char"; readonly accepts: (char: string) => boolean }
  | { readonly kind: "split"; readonly to: readonly number[] }
  | { readonly kind: "assert"; readonly condition: "start" | "end" | "word" | "inside" }
  | { readonly kind: "match" };

/** Why a pattern cannot be used; the message is a predicate, to follow the pattern. */
export class PatternError extends Error {}

const MAX_INSTRUCTIONS = 2000;
const MAX_DEPTH = 50;
const ASSERTIONS = { "^": "start", $: "end", "\\b": "word", "\\B": "inside" } as const;

/** @throws PatternError */
export function patternProgram(source: string): readonly Instruction[] {
  try {
    new RegExp(source, "u");
  } catch (error) {
    const [, reason = "is broken"] = /: ([^:]*)$/.exec((error as Error).message) ?? [];
    throw new PatternError(`is not a valid regular expression: ${reason}`);
  }
  const program = [...new PatternParser(source).parse(), { kind: "match" } as const];
  if (program.length > MAX_INSTRUCTIONS) throw tooLong();
  // Offsets are relative until all parts are concatenated.
  return program.map((instruction, index) =>
    instruction.kind === "split"
      ? { kind: "split", to: instruction.to.map((step) => index + step) }
      : instruction,
  );
}

type Part = readonly Instruction[];

/** Requires a pattern that `RegExp` accepts: brackets are closed, quantifiers follow an atom. */
class PatternParser {
  readonly #source: string;
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  parse(): Part {
    if (++this.#depth > MAX_DEPTH) throw new PatternError("is nested too deeply");
    const alternatives: Part[] = [this.#sequence()];
    while (this.#take("|")) alternatives.push(this.#sequence());
    this.#depth--;
    return alternatives.reduceRight((rest, part) => alternation(part, rest));
  }

  #sequence(): Part {
    const parts: Instruction[] = [];
    while (this.#at < this.#source.length && !this.#isNext("|") && !this.#isNext(")")) {
      parts.push(...this.#quantified(this.#atom()));
      if (parts.length > MAX_INSTRUCTIONS) throw tooLong();
    }
    return parts;
  }

  #atom(): Part {
    for (const [text, condition] of Object.entries(ASSERTIONS)) {
      if (this.#take(text)) return [{ kind: "assert", condition }];
    }
    if (this.#isNext("(")) return this.#group();
    const atom = this.#match(WIDE_ATOM) ?? this.#match(/\\x..|\\c.|\\[\s\S]|[\s\S]/uy);
    return [compileCharClass(atom!)];
  }

  #group(): Part {
    if (this.#match(/\((?:\?:|\?<[^=!>]+>)?(?!\?)/uy) === null) {
      throw new PatternError("uses lookaround, which is not linear-time");
    }
    const inner = this.parse();
    this.#take(")");
    return inner;
  }

  /** Whether a quantifier is greedy does not affect whether a text matches. */
  #quantified(part: Part): Part {
    const quantifier = this.#match(/[*+?]\??|\{\d+(?:,\d*)?\}\??/uy);
    if (quantifier === null) return part;
    const [, min, comma, max] = /^\{(\d+)(,?)(\d*)\}/.exec(quantifier) ?? [];
    if (min === undefined) return repetition(part, ...QUANTIFIERS[quantifier[0]!]!);
    const end = max !== "" ? Number(max) : comma === "" ? Number(min) : Infinity;
    return repetition(part, Number(min), end);
  }

  #isNext(text: string): boolean {
    return this.#source.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    const isMatch = this.#isNext(text);
    if (isMatch) this.#at += text.length;
    return isMatch;
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const text = pattern.exec(this.#source)?.[0] ?? null;
    this.#at += text?.length ?? 0;
    return text;
  }
}

const WIDE_ATOM =
  /\[(?:\\[\s\S]|[^\]\\])*\]|\\[pPu]\{[^}]*\}|\\ud[89ab]..\\ud[c-f]..|\\u[\dA-F]{4}/iuy;

const QUANTIFIERS: Readonly<Record<string, readonly [number, number]>> = {
  "*": [0, Infinity],
  "+": [1, Infinity],
  "?": [0, 1],
};

function alternation(first: Part, second: Part): Part {
  const end: Instruction = { kind: "split", to: [second.length + 1] };
  return [{ kind: "split", to: [1, first.length + 2] }, ...first, end, ...second];
}

function repetition(part: Part, min: number, max: number): Part {
  const copies = Math.max(max === Infinity ? min + 1 : max, 1);
  if (copies * (part.length + 2) > MAX_INSTRUCTIONS) throw tooLong();
  const first = Array.from({ length: min }, () => part).flat();
  if (max === Infinity) {
    const back: Instruction = { kind: "split", to: [-part.length - 1] };
    return [...first, { kind: "split", to: [1, part.length + 2] }, ...part, back];
  }
  let optional: Part = [];
  for (let more = max - min; more > 0; more--) {
    const inner = [...part, ...optional];
    optional = [{ kind: "split", to: [1, inner.length + 1] }, ...inner];
  }
  return [...first, ...optional];
}

/**
 * Returns an instruction for one character class, decided by the JavaScript engine and cached for
 * ASCII.
 */
function compileCharClass(atom: string): Instruction {
  if (/^\\[1-9k]/.test(atom)) {
    throw new PatternError("uses a backreference, which is not linear-time");
  }
  const whole = new RegExp(`^${atom}$`, "u");
  const ascii = Array.from({ length: 128 }, (_, code) => whole.test(String.fromCharCode(code)));
  const accepts = (char: string) =>
    char.length === 1 && char < "\x80" ? ascii[char.charCodeAt(0)]! : whole.test(char);
  return { kind: "char", accepts };
}

function tooLong(): PatternError {
  return new PatternError(`exceeds ${MAX_INSTRUCTIONS} instructions when expanded`);
}
