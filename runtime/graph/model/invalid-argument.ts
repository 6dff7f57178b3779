// Errors for invalid arguments of queries, with argument path: the check that fails supplies the
// value and what is expected; each caller on the way out prepends its step. The message shows the
// path on a second line:
//
//   Invalid arc direction
//     neighbor.traverse.arc[1] is 7; expected: D_OUT, D_IN, D_ANY, D_BOTH

import { QueryError, SearchError } from "./errors.js";

interface ArgumentDetails {
  /** The problem, without path and values. */
  readonly problem: string;
  readonly given: string;
  readonly fits: string;
  /** Concatenated steps, `.name` or `[2]`. */
  path: string;
}

const MAX_TEXT = 60;
const MAX_ITEMS = 4;
const MAX_DEPTH = 3;
const PLAIN_NAME = /^[A-Za-z_]\w{0,40}$/;

/** Valid names of relationships, types and properties. */
export const NAMES = "a letter, then letters, digits and _.#$%@";

const DETAILS = new WeakMap<object, ArgumentDetails>();

/**
 * Returns a QueryError with argument path.
 * @param text the problem
 * @param value the rejected value
 * @param fits expected values
 * @param at path from the caller to the value
 */
export function invalidArgument(text: string, value: unknown, fits: string, at = ""): QueryError {
  return attachDetails(new QueryError(text), value, fits, at);
}

/** Returns a SearchError for a name that cannot exist. */
export function invalidNameError(text: string, value: unknown, fits: string, at = ""): SearchError {
  return attachDetails(new SearchError(text), value, fits, at);
}

/** Adds value, expected values and path to another error, unless it has them already. */
export function withArgumentDetails<E extends Error>(
  error: E,
  value: unknown,
  fits: string,
  at = "",
): E {
  return DETAILS.has(error) ? error : attachDetails(error, value, fits, at);
}

/** Returns whether an error names the argument that it rejects. */
export function hasArgumentDetails(error: Error): boolean {
  return DETAILS.has(error);
}

/** Returns the path to a rejected argument and the values that fit there; null: unknown. */
export function rejectedArgument(error: unknown): { path: string; fits: string } | null {
  const details = typeof error === "object" && error !== null ? DETAILS.get(error) : undefined;
  return details === undefined ? null : { path: details.path, fits: details.fits };
}

/** Prepends a step to the path of an error that has one; returns other errors unchanged. */
export function atArgumentPath(error: unknown, step: string): unknown {
  const details = typeof error === "object" && error !== null ? DETAILS.get(error) : undefined;
  if (details !== undefined && step !== "") {
    details.path = step + details.path;
    writeMessage(error as Error, details);
  }
  return error;
}

/** Returns the step to a member. */
export function inMember(name: string): string {
  return PLAIN_NAME.test(name) ? `.${name}` : `[${formatValue(name)}]`;
}

function attachDetails<E extends Error>(error: E, value: unknown, fits: string, path: string): E {
  const details = { problem: error.message, given: formatValue(value), fits, path };
  DETAILS.set(error, details);
  writeMessage(error, details);
  return error;
}

function writeMessage(error: Error, { problem, given, fits, path }: ArgumentDetails): void {
  const { message: before, stack } = error;
  const where = path === "" ? `given ${given}` : `${path.replace(/^\./, "")} is ${given}`;
  error.message = `${problem}\n  ${where}; expected: ${fits}`;
  // The stack contains the former message. It was read before the change, because it gets its text
  // when it is first read.
  if (stack !== undefined) error.stack = stack.replace(before, () => error.message);
}

/** Returns a short text for a value of any size. */
function formatValue(value: unknown, depth = 0): string {
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
      return value === null ? "null" : formatObject(value, depth);
    default:
      return String(value);
  }
}

function formatObject(value: object, depth: number): string {
  if (Array.isArray(value)) {
    if (depth === MAX_DEPTH) return "[...]";
    const items = value.slice(0, MAX_ITEMS).map((item) => formatValue(item, depth + 1));
    return `[${items.join(", ")}${value.length > MAX_ITEMS ? ", ..." : ""}]`;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return "an object of a class";
  if (depth === MAX_DEPTH) return "{...}";
  const entries = Object.entries(value);
  const members = entries
    .slice(0, MAX_ITEMS)
    .map(([name, item]) => `${inMember(name).replace(/^\./, "")}: ${formatValue(item, depth + 1)}`);
  return `{${members.join(", ")}${entries.length > MAX_ITEMS ? ", ..." : ""}}`;
}
