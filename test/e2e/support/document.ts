// A document of the repository as something that runs. Its `ts` blocks are one program, whose
// statements are followed by what they give:
//
//   graph.degree("Oslo"); // → 2
//   graph.neighborhood("Nowhere"); // throws KeyError: Object does not exist
//
// The expected value is an expression; it may stand on a line of its own, and lines of comments
// that begin with three blanks continue it. Blocks marked `ts part`
// are shown, not run. `console` blocks hold commands and what they print; they need a server, which
// the document names: `<!-- serves examples/hello -->`, or a system: `<!-- up examples/cities -->`.
// A program that needs a project around it says which one: `<!-- project examples/hello -->`.

import { readFileSync } from "node:fs";

const FENCE = /^```(\w*)([^\n]*)\n([\s\S]*?)^```$/gm;
const EXPECTED = /(?:^| )\/\/ (→|throws) (.*)$/;
const UP = /<!-- up (\S+) -->/;
const SERVED = /<!-- serves (\S+) -->/;
const PROJECT = /<!-- project (\S+) -->/;

export interface Command {
  readonly line: number;
  readonly command: string;
  readonly output: string;
}

export class Document {
  readonly served: string | null;
  /** Project whose system has to be up. */
  readonly up: string | null;
  readonly project: string | null;
  readonly commands: readonly Command[];
  readonly #programs: { readonly line: number; readonly code: string }[] = [];

  constructor(readonly path: string) {
    const text = readFileSync(path, "utf8");
    this.served = SERVED.exec(text)?.[1] ?? null;
    this.up = UP.exec(text)?.[1] ?? null;
    this.project = PROJECT.exec(text)?.[1] ?? null;
    const commands: Command[] = [];
    for (const match of text.matchAll(FENCE)) {
      const [, language, more, code] = match;
      const line = text.slice(0, match.index).split("\n").length + 1;
      if (language === "ts" && more!.trim() === "") this.#programs.push({ line, code: code! });
      if (language === "console") commands.push(...commandsOf(code!, line));
    }
    this.commands = commands;
  }

  get hasProgram(): boolean {
    return this.#programs.some(({ code }) => / \/\/ (→|throws) /.test(code));
  }

  /** TypeScript that calls `check(line, run, expected)` for each value that the text promises. */
  program(): string {
    return this.#programs.map(({ line, code }) => withChecks(code, line)).join("\n");
  }
}

function commandsOf(code: string, firstLine: number): Command[] {
  const commands: Command[] = [];
  for (const [index, text] of code.trimEnd().split("\n").entries()) {
    const last = commands.at(-1);
    if (text.startsWith("$ ")) {
      commands.push({ line: firstLine + index, command: text.slice(2), output: "" });
    } else if (last?.command.endsWith("\\")) {
      commands[commands.length - 1] = { ...last, command: `${last.command.slice(0, -1)}${text}` };
    } else if (last !== undefined) {
      commands[commands.length - 1] = { ...last, output: `${last.output}${text}\n` };
    }
  }
  return commands;
}

function withChecks(code: string, firstLine: number): string {
  const lines = code.split("\n");
  const done: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const found = EXPECTED.exec(lines[at]!);
    if (found === null) {
      done.push(lines[at]!);
      continue;
    }
    let [, kind, expected] = found as unknown as [string, string, string];
    const last = lines[at]!.slice(0, found.index).trimEnd().replace(/;$/, "");
    if (last === "") done.push(done.pop()!.replace(/;$/, ""));
    const statement = [...statementAbove(done), last].join("\n").trimEnd();
    const line = firstLine + at;
    while (/^\s*\/\/ {3}/.test(lines[at + 1] ?? "")) expected += lines[++at]!.trim().slice(2);
    const value = kind === "throws" ? JSON.stringify(expected.trim()) : `(${expected})`;
    const [, name] = /^const (\w+)/.exec(statement) ?? [];
    if (name !== undefined) done.push(`${statement};`);
    const run = `async () => (${name ?? statement})`;
    done.push(`await ${kind === "throws" ? "checkError" : "check"}(${line}, ${run}, ${value});`);
  }
  return done.join("\n");
}

/** Takes the lines that begin the statement whose last line comes next; statements begin at 0. */
function statementAbove(done: string[]): string[] {
  const lines: string[] = [];
  while (lines.length < 50 && isContinued(done.at(-1) ?? "")) {
    lines.unshift(done.pop()!);
    if (/^[^\s)}\]]/.test(lines[0]!)) break;
  }
  return lines;
}

function isContinued(line: string): boolean {
  return line.trim() !== "" && !/;$/.test(line) && !/^(\}|\/\/|\/\*\*| \*)/.test(line);
}
