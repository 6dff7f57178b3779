// What does not fit in an argument of a query, and where: whoever looks at a value says what was
// given and what fits; whoever descended to it adds the step, from the inside outwards. Then a text
// has the place on a line of its own, below what is wrong:
//
//   Invalid arc direction
//     neighbor.traverse.arc[1] is 7; what fits: D_OUT, D_IN, D_ANY, D_BOTH

import { QueryError, SearchError } from "./errors.js";

interface Misfit {
  /** What is wrong. */
  readonly problem: string;
  readonly given: string;
  readonly fits: string;
  /** Steps as they are written, `.name` and `[2]`, behind each other. */
  place: string;
}

const MAX_TEXT = 60;
const MAX_ITEMS = 4;
const MAX_DEPTH = 3;
const PLAIN_NAME = /^[A-Za-z_]\w{0,40}$/;

/** What names of relationships, types and properties may be. */
export const NAMES = "a letter, then letters, digits and _.#$%@";

const INCOMPATIBILITIES = new WeakMap<object, Misfit>();

/**
 * @param text what is wrong
 * @param given the value
 * @param fits what it may be
 * @param at steps to it from where the caller is
 */
export function invalidArgument(text: string, given: unknown, fits: string, at = ""): QueryError {
  return placed(new QueryError(text), given, fits, at);
}

/** The same for a name that nothing can have. */
export function invalidNameError(text: string, given: unknown, fits: string, at = ""): SearchError {
  return placed(new SearchError(text), given, fits, at);
}

/**
 * An error of another kind with the value, what fits and the place of it; one that has them as it
 * is.
 */
export function withArgumentDetails<E extends Error>(
  error: E,
  given: unknown,
  fits: string,
  at = "",
): E {
  return INCOMPATIBILITIES.has(error) ? error : placed(error, given, fits, at);
}

/** An error of what is one step further in, seen from here; any other one as it is. */
export function atArgumentPath(error: unknown, step: string): unknown {
  const invalidArgument =
    typeof error === "object" && error !== null ? INCOMPATIBILITIES.get(error) : undefined;
  if (invalidArgument !== undefined && step !== "") {
    invalidArgument.place = step + invalidArgument.place;
    write(error as Error, invalidArgument);
  }
  return error;
}

/** The step to a member. */
export function inMember(name: string): string {
  return PLAIN_NAME.test(name) ? `.${name}` : `[${shown(name)}]`;
}

function placed<E extends Error>(error: E, given: unknown, fits: string, place: string): E {
  const invalidArgument = { problem: error.message, given: shown(given), fits, place };
  INCOMPATIBILITIES.set(error, invalidArgument);
  write(error, invalidArgument);
  return error;
}

function write(error: Error, { problem, given, fits, place }: Misfit): void {
  const before = error.message;
  const where = place === "" ? `given ${given}` : `${place.replace(/^\./, "")} is ${given}`;
  error.message = `${problem}\n  ${where}; what fits: ${fits}`;
  // Written when the error was made.
  if (error.stack !== undefined) error.stack = error.stack.replace(before, () => error.message);
}

/** A value in a few words, however much it is. */
function shown(value: unknown, depth = 0): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value.length <= MAX_TEXT ? value : `${value.slice(0, MAX_TEXT)}...`);
    case "bigint":
      return `${value}n`.slice(0, MAX_TEXT);
    case "function":
      return "a function";
    case "symbol":
      return "a symbol";
    case "object":
      return value === null ? "null" : shownObject(value, depth);
    default:
      return String(value);
  }
}

function shownObject(value: object, depth: number): string {
  if (Array.isArray(value)) {
    if (depth === MAX_DEPTH) return "[...]";
    const items = value.slice(0, MAX_ITEMS).map((item) => shown(item, depth + 1));
    return `[${items.join(", ")}${value.length > MAX_ITEMS ? ", ..." : ""}]`;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return "an object of a class";
  if (depth === MAX_DEPTH) return "{...}";
  const entries = Object.entries(value);
  const members = entries
    .slice(0, MAX_ITEMS)
    .map(([name, item]) => `${inMember(name).replace(/^\./, "")}: ${shown(item, depth + 1)}`);
  return `{${members.join(", ")}${entries.length > MAX_ITEMS ? ", ..." : ""}}`;
}
