// Type checks of arguments, because JavaScript callers and casts bypass the types.

import { inMember, withArgumentDetails } from "./invalid-argument.js";

/** Maximum length of a name in an error message. */
const MAX_NAME = 100;
const MILLISECONDS = "milliseconds; 0: do not wait, negative: for ever";

/** @throws TypeError */
export function checkText(given: unknown, what: string): asserts given is string {
  if (typeof given !== "string") {
    throw withArgumentDetails(new TypeError(`${what} is a text`), given, "a text");
  }
}

/** @throws TypeError */
export function checkTextOrNull(given: unknown, what: string): asserts given is string | null {
  if (given !== null && typeof given !== "string") {
    throw withArgumentDetails(
      new TypeError(`${what} is a text, or null`),
      given,
      "a text, or null",
    );
  }
}

/** @throws TypeError */
export function checkInteger(given: unknown, what: string): asserts given is number {
  if (!Number.isInteger(given)) {
    throw withArgumentDetails(new TypeError(`${what} is an integer`), given, "an integer");
  }
}

/** @throws TypeError */
export function checkNumber(given: unknown, what: string): asserts given is number {
  if (typeof given !== "number") {
    throw withArgumentDetails(new TypeError(`${what} is a number`), given, "a number");
  }
}

/** @throws TypeError */
export function checkFunction(given: unknown): void {
  if (typeof given !== "function") {
    throw withArgumentDetails(new TypeError("a function is required"), given, "a function");
  }
}

/** @throws TypeError */
export function checkTimeout(given: unknown): asserts given is number {
  if (typeof given !== "number" || Number.isNaN(given)) {
    throw withArgumentDetails(new TypeError("a timeout is a number"), given, MILLISECONDS);
  }
}

/**
 * Returns true for a plain object. Arrays and instances of classes such as Map or Promise would
 * otherwise pass as options without any members.
 */
export function isPlainRecord(given: unknown): given is object {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return false;
  return Object.prototype.toString.call(given) === "[object Object]";
}

/**
 * @param at argument path
 * @throws TypeError
 */
export function checkObject(given: unknown, what: string, at = ""): asserts given is object {
  if (isPlainRecord(given)) return;
  throw withArgumentDetails(new TypeError(`${what} must be an object`), given, "an object", at);
}

/**
 * Checks that an options object has known names only.
 * @throws TypeError
 */
export function checkOptions(given: unknown, names: ReadonlySet<string>): void {
  checkObject(given, "options");
  for (const name in given) {
    if (names.has(name)) continue;
    const text = `'${name.slice(0, MAX_NAME)}' is an invalid keyword argument for this function`;
    const fits = names.size === 0 ? "no options" : [...names].join(", ");
    throw withArgumentDetails(new TypeError(text), Reflect.get(given, name), fits, inMember(name));
  }
}

/**
 * Rejects arguments after the last parameter of a method, which would be ignored silently.
 * @param last name of the last parameter; undefined if there is none
 * @throws TypeError
 */
export function refuseFurther(further: readonly unknown[], last?: string): void {
  if (further.length === 0) return;
  const error = new TypeError("too many arguments for this function");
  const fits = last === undefined ? "no arguments" : `nothing after ${last}`;
  throw withArgumentDetails(error, further[0], fits);
}
