// An executable document of the repository. Its `ts` blocks are one program, whose statements are
// followed by their results:
//
//   graph.degree("Oslo"); // → 2
//   graph.neighborhood("Nowhere"); // throws KeyError: Object does not exist
//
// The expected value is an expression; it may stand on a line of its own, and comment lines that
// begin with three blanks continue it. Blocks marked `ts plugin` are files of a project that must
// build, blocks marked `ts part` are not run. `console` blocks hold commands and their output; they
// need a server, which a line above them names: `<!-- serves examples/hello -->`, or a system:
// `<!-- up examples/cities -->`. A program that needs a project has such a line, too:
// `<!-- project examples/hello -->`. Each line applies until the next one of its kind.

import { readFileSync } from "node:fs";

const BLOCK = /^( *)```(\w*)([^\n]*)\n([\s\S]*?)^ *```$|^ *<!-- (up|serves|project) (\S+) -->$/gm;
const EXPECTED = /(?:^| )\/\/ (→|throws) (.*)$/;

export interface Command {
  readonly line: number;
  readonly command: string;
  readonly output: string;
}

/** Code between two lines of three backticks. */
export interface Fence {
  /** With its marker: `ts part`. */
  readonly language: string;
  readonly code: string;
  readonly line: number;
}

interface Directive {
  readonly directive: string;
  readonly folder: string;
}

/** Commands for one server. */
export interface Session {
  /** Folder of the served project; null: none is named. */
  readonly served: string | null;
  readonly commands: Command[];
}

/** Blocks that run as one program. */
interface Program {
  /** Folder of the surrounding project; null: an empty one. */
  readonly project: string | null;
  readonly blocks: { readonly line: number; readonly code: string }[];
}

export class Document {
  /** Project whose system must be running. */
  up: string | null = null;
  readonly sessions: Session[] = [{ served: null, commands: [] }];
  /** Files of one project, in order. */
  readonly plugins: string[] = [];
  readonly #programs: Program[] = [{ project: null, blocks: [] }];

  constructor(readonly path: string) {
    for (const block of parseBlocks(readFileSync(path, "utf8"))) {
      if ("directive" in block) this.#follow(block);
      else this.#addBlock(block);
    }
  }

  #follow({ directive, folder }: Directive): void {
    if (directive === "up") this.up = folder;
    else if (directive === "serves") this.sessions.push({ served: folder, commands: [] });
    else this.#programs.push({ project: folder, blocks: [] });
  }

  #addBlock({ language, code, line }: Fence): void {
    if (language === "ts") this.#programs.at(-1)!.blocks.push({ line, code });
    if (language === "ts plugin") this.plugins.push(code);
    if (language === "console") this.sessions.at(-1)!.commands.push(...parseCommands(code, line));
  }

  get commands(): readonly Command[] {
    return this.sessions.flatMap(({ commands }) => commands);
  }

  /** TypeScript that calls `check(line, run, expected)` for each documented value. */
  programs(): { readonly project: string | null; readonly source: string }[] {
    return this.#programs
      .filter(({ blocks }) => blocks.some(({ code }) => / \/\/ (→|throws) /.test(code)))
      .map(({ project, blocks }) => ({
        project,
        source: blocks.map(({ code, line }) => withChecks(code, line)).join("\n"),
      }));
  }
}

/** All code of a page, without the indentation of surrounding lists. */
export function parseFences(text: string): Fence[] {
  return parseBlocks(text).filter((block) => "code" in block);
}

function parseBlocks(text: string): (Fence | Directive)[] {
  return [...text.matchAll(BLOCK)].map((match) => {
    const [, indent = "", language = "", more = "", indented = "", directive, folder] = match;
    if (directive !== undefined) return { directive, folder: folder! };
    const line = text.slice(0, match.index).split("\n").length + 1;
    const code = indented.replaceAll(new RegExp(`^${indent}`, "gm"), "");
    return { language: `${language}${more.trimEnd()}`, code, line };
  });
}

export function parseCommands(code: string, firstLine: number): Command[] {
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
  for (let index = 0; index < lines.length; index++) {
    const match = EXPECTED.exec(lines[index]!);
    if (match === null) {
      done.push(lines[index]!);
      continue;
    }
    let [, kind, expected] = match as unknown as [string, string, string];
    const last = lines[index]!.slice(0, match.index).trimEnd().replace(/;$/, "");
    if (last === "") done.push(done.pop()!.replace(/;$/, ""));
    const statement = [...statementAbove(done), last].join("\n").trimEnd();
    const line = firstLine + index;
    while (/^\s*\/\/ {3}/.test(lines[index + 1] ?? "")) expected += lines[++index]!.trim().slice(2);
    const value = kind === "throws" ? JSON.stringify(expected.trim()) : `(${expected})`;
    const [, name] = /^const (\w+)/.exec(statement) ?? [];
    if (name !== undefined) done.push(`${statement};`);
    const run = `async () => (${name ?? statement})`;
    done.push(`await ${kind === "throws" ? "checkError" : "check"}(${line}, ${run}, ${value});`);
  }
  return done.join("\n");
}

/**
 * Removes and returns the lines that begin the statement whose last line comes next; statements
 * begin at 0.
 */
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
