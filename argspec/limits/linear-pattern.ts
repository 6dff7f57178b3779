// Matches authors' regular expressions against client text in linear time. JavaScript's engine
// backtracks, so that `^(a+)+$` takes hours for 50 characters; here all alternatives advance
// together, as a set of states of an NFA (Thompson's construction). The engine only decides
// membership in a character class, one character at a time.

import { type Instruction, patternProgram } from "./pattern-program.js";

/**
 * Compiles a pattern to a function that returns whether a text contains a match.
 * @throws PatternError
 */
export function linearPattern(source: string): (text: string) => boolean {
  const program = patternProgram(source);
  return (text) => new Run(program, text).matches();
}

class Run {
  readonly #program: readonly Instruction[];
  readonly #text: string;
  /** By instruction: the last step that followed it; each step follows an instruction once. */
  readonly #seen: Int32Array;
  #step = 0;
  #states: number[] = [];

  constructor(program: readonly Instruction[], text: string) {
    this.#program = program;
    this.#text = text;
    this.#seen = new Int32Array(program.length);
  }

  matches(): boolean {
    const text = this.#text;
    for (let at = 0; ; ) {
      this.#step++;
      const before = this.#states;
      this.#states = [];
      const char = at > 0 ? this.#charBefore(at) : "";
      for (const state of before) {
        const instruction = this.#program[state]!;
        if (instruction.kind === "char" && instruction.accepts(char)) {
          if (this.#follow(state + 1, at)) return true;
        }
      }
      // A match can start at any character.
      if (this.#follow(0, at)) return true;
      if (at >= text.length) return false;
      at += text.codePointAt(at)! > 0xffff ? 2 : 1;
    }
  }

  /** Follows all instructions that consume no character. Returns true at the end of the pattern. */
  #follow(start: number, at: number): boolean {
    const rest = [start];
    for (let state = rest.pop(); state !== undefined; state = rest.pop()) {
      if (this.#seen[state] === this.#step) continue;
      this.#seen[state] = this.#step;
      const instruction = this.#program[state]!;
      switch (instruction.kind) {
        case "match":
          return true;
        case "char":
          this.#states.push(state);
          break;
        case "split":
          rest.push(...instruction.to);
          break;
        case "assert":
          if (this.#holds(instruction.condition, at)) rest.push(state + 1);
      }
    }
    return false;
  }

  #holds(assertion: "start" | "end" | "word" | "inside", at: number): boolean {
    if (assertion === "start") return at === 0;
    if (assertion === "end") return at === this.#text.length;
    const isEdge = isWord(this.#text[at - 1]) !== isWord(this.#text[at]);
    return isEdge === (assertion === "word");
  }

  #charBefore(at: number): string {
    const low = this.#text.charCodeAt(at - 1);
    const isPair = low >= 0xdc00 && low < 0xe000 && this.#text.codePointAt(at - 2)! > 0xffff;
    return this.#text.slice(isPair ? at - 2 : at - 1, at);
  }
}

function isWord(char: string | undefined): boolean {
  return char !== undefined && /^\w$/.test(char);
}
