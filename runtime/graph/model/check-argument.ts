// Type checks of arguments, because JavaScript callers and casts bypass the types.

import { inMember, withArgumentDetails } from "./invalid-argument.js";

/** Maximum length of a name in an error message. */
const MAX_NAME = 100;
const MILLISECONDS = "milliseconds; 0: do not wait, negative: for ever";

/** @throws TypeError */
export function checkText(value: unknown, label: string): asserts value is string {
  if (typeof value !== "string") {
    throw withArgumentDetails(new TypeError(`${label} is a text`), value, "a text");
  }
}

/** @throws TypeError */
export function checkTextOrNull(value: unknown, label: string): asserts value is string | null {
  if (value !== null && typeof value !== "string") {
    throw withArgumentDetails(
      new TypeError(`${label} is a text, or null`),
      value,
      "a text, or null",
    );
  }
}

/** @throws TypeError */
export function checkInteger(value: unknown, label: string): asserts value is number {
  if (!Number.isInteger(value)) {
    throw withArgumentDetails(new TypeError(`${label} is an integer`), value, "an integer");
  }
}

/** @throws TypeError */
export function checkNumber(value: unknown, label: string): asserts value is number {
  if (typeof value !== "number") {
    throw withArgumentDetails(new TypeError(`${label} is a number`), value, "a number");
  }
}

/** @throws TypeError */
export function checkFunction(value: unknown): void {
  if (typeof value !== "function") {
    throw withArgumentDetails(new TypeError("a function is required"), value, "a function");
  }
}

/** @throws TypeError */
export function checkTimeout(value: unknown): asserts value is number {
  if (typeof value !== "number" || Number.isNaN(value)) {
    throw withArgumentDetails(new TypeError("a timeout is a number"), value, MILLISECONDS);
  }
}

/**
 * Returns true for a plain object. Arrays and instances of classes such as Map or Promise would
 * otherwise pass as options without any members.
 */
export function isPlainRecord(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.prototype.toString.call(value) === "[object Object]";
}

/**
 * @param at argument path
 * @throws TypeError
 */
export function checkObject(value: unknown, label: string, at = ""): asserts value is object {
  if (isPlainRecord(value)) return;
  throw withArgumentDetails(new TypeError(`${label} must be an object`), value, "an object", at);
}

/**
 * Checks that an options object has known names only.
 * @throws TypeError
 */
export function checkOptions(options: unknown, names: ReadonlySet<string>): void {
  checkObject(options, "options");
  for (const name in options) {
    if (names.has(name)) continue;
    const text = `'${name.slice(0, MAX_NAME)}' is an invalid keyword argument for this function`;
    const fits = names.size === 0 ? "no options" : [...names].join(", ");
    throw withArgumentDetails(
      new TypeError(text),
      Reflect.get(options, name),
      fits,
      inMember(name),
    );
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
