// Analyzes a query while it is typed: completions at the cursor and positions of errors. The server
// decides; errors in its expressions are mapped back to the text here.

export interface QueryFault {
  /** Characters before it. */
  readonly at: number;
  readonly message: string;
}

/** Names by context, from the server and the graph. */
export interface Names {
  /** Of options and conditions of a query. */
  readonly keys: readonly string[];
  /** Constants such as F_ID, outside of strings. */
  readonly constants: readonly string[];
  /** Relationships and types of the graph. */
  readonly values: readonly string[];
  /** Names in expressions, inside of strings. */
  readonly expression: readonly string[];
}

export interface Completion {
  /** Where the word begins that is completed. */
  readonly from: number;
  readonly words: readonly string[];
}

const MAX_WORDS = 12;
const STRING_OR_CONSTANTS = /"(?:[^"\\]|\\.)*"?|\b[A-Z]_[A-Z_]+(?:\s*\|\s*[A-Z]_[A-Z_]+)*/g;

/** Returns the completions of the word before the cursor. */
export function completionsAt(text: string, cursor: number, names: Names): Completion {
  const [word] = /[A-Za-z_][\w.]*$/.exec(text.slice(0, cursor)) ?? [""];
  const from = cursor - word.length;
  if (word === "") return { from, words: [] };
  const pools = isInString(text, from)
    ? [isKey(text, from) ? names.keys : [], names.values, names.expression]
    : [names.constants, names.keys, names.expression];
  const lowerWord = word.toLowerCase();
  const found = pools.flat().filter((name) => name.toLowerCase().startsWith(lowerWord));
  const words = [...new Set(found)].filter((name) => name !== word).slice(0, MAX_WORDS);
  return { from, words };
}

/** Whether a text that begins here is the name of a member. */
function isKey(text: string, at: number): boolean {
  return text[at - 1] === '"' && /[{,]$/.test(text.slice(0, at - 1).trimEnd());
}

function isInString(text: string, at: number): boolean {
  let isIn = false;
  for (let index = 0; index < at; index++) {
    if (text[index] === "\\" && isIn) index++;
    else if (text[index] === '"') isIn = !isIn;
  }
  return isIn;
}

/** Returns the fault in a query's JSON; null if valid. An empty text selects everything. */
export function findFault(text: string): QueryFault | null {
  if (text.trim() === "") return null;
  // Where the quotes around constants were put in.
  const shifts: number[] = [];
  const json = text.replace(STRING_OR_CONSTANTS, (found, offset: number) => {
    if (found.startsWith('"')) return found;
    shifts.push(offset, offset + found.length);
    return JSON.stringify(found);
  });
  try {
    const value: unknown = JSON.parse(json);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? null : { at: 0, message: "a query is an object: { … }" };
  } catch (error) {
    const { message } = error as Error;
    const [, position] = /at position (\d+)/.exec(message) ?? [];
    const at = position === undefined ? text.length : unshifted(Number(position), shifts);
    return { at: Math.min(at, text.length), message };
  }
}

function unshifted(position: number, shifts: readonly number[]): number {
  let before = 0;
  for (const shift of shifts) if (shift + before < position) before++;
  return position - before;
}

/** Maps a server's error to a position in the text; null without a position. */
export function locateFault(
  message: string,
  text: string,
  isExpression: boolean,
): QueryFault | null {
  const [, position] = /\bat pos=(\d+)/.exec(message) ?? [];
  if (position === undefined) return null;
  const [first = "", line = ""] = message.split("\n");
  const [, reason] = /\[ (.*?) \]/.exec(first) ?? [];
  const fault = reason ?? first;
  const within = Number(position) - 1;
  if (isExpression) return { at: Math.min(within, text.length), message: fault };
  const expression = line.trim();
  for (const { 0: literal, index } of text.matchAll(/"(?:[^"\\]|\\.)*"/g)) {
    if (expression !== "" && literalValue(literal).includes(expression)) {
      return { at: index + 1 + escapedLength(literal.slice(1, -1), within), message: fault };
    }
  }
  return { at: 0, message: fault };
}

function literalValue(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return "";
  }
}

/** Length in a literal of a number of characters of its value. */
function escapedLength(literal: string, characters: number): number {
  const parts = literal.match(/\\u[0-9a-fA-F]{4}|\\.|[^\\]/gs) ?? [];
  return parts.slice(0, characters).join("").length;
}

/** Line and column of a place, from 1, and the line's text. */
export function lineAt(text: string, at: number): { line: number; column: number; text: string } {
  const before = text.slice(0, at).split("\n");
  const line = before.length;
  const column = before.at(-1)!.length + 1;
  return { line, column, text: text.split("\n")[line - 1] ?? "" };
}
