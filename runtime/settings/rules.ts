// Composable validation rules for configuration values: each returns the validated value and
// reports problems with their paths, so that one run finds every error.

import { didYouMean } from "../base/did-you-mean.js";
import { isPlainObject } from "../base/plain-object.js";

/** Keys and offsets that lead to a value. */
export type Path = readonly (string | number)[];

export interface Problem {
  readonly path: Path;
  /** Such as `expected an integer from 0 to 65534, got "x"`. */
  readonly text: string;
  /** True if the key itself is invalid, not its value. */
  readonly isOfKey?: boolean;
  /** Exception that the library throws, if the interface specifies one. */
  readonly exception?: "TypeError" | "ValueError";
}

export type Problems = Problem[];

/** Validates one value; `undefined` stands for a missing key. */
export type Rule<T> = (value: unknown, path: Path, problems: Problems) => T;

type Rules<T> = { readonly [K in keyof T]: Rule<T[K]> };

const MAX_SHOWN = 60;

/** Such as `http.trustedNetworks[0]: expected a network`. */
export function problemText({ path, text }: Problem): string {
  const [first = "configuration", ...rest] = path;
  const steps = rest.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`));
  return `${first}${steps.join("")}: ${text}`;
}

/** Returns a rule with one test; `fallback` replaces an invalid value. */
export function test<T>(
  expectation: string,
  isValid: (value: unknown) => boolean,
  fallback: T,
): Rule<T> {
  return (value, path, problems) => {
    if (isValid(value)) return value as T;
    problems.push({ path, text: expected(expectation, value) });
    return fallback;
  };
}

/** Returns a rule that replaces a missing value. */
export function withDefault<T>(rule: Rule<T>, fallback: T): Rule<T> {
  return (value, path, problems) => (value === undefined ? fallback : rule(value, path, problems));
}

export function optional<T>(rule: Rule<T>): Rule<T | undefined> {
  return withDefault<T | undefined>(rule, undefined);
}

export function nullable<T>(rule: Rule<T>): Rule<T | null> {
  return (value, path, problems) => (value === null ? null : rule(value, path, problems));
}

export function string(expectation = "a string", pattern = /^/): Rule<string> {
  return test(expectation, (value) => typeof value === "string" && pattern.test(value), "");
}

export const isBoolean: Rule<boolean> = test(
  "true or false",
  (value) => typeof value === "boolean",
  false,
);

/** Returns a rule with separate rules for strings and other values. */
export function stringOr<A, B>(forStrings: Rule<A>, others: Rule<B>): Rule<A | B> {
  return (value, path, problems) =>
    (typeof value === "string" ? forStrings : others)(value, path, problems);
}

export function list<T>(rule: Rule<T>, expectation: string): Rule<T[]> {
  return (value, path, problems) => {
    if (!Array.isArray(value)) {
      problems.push({ path, text: expected(expectation, value) });
      return [];
    }
    // Not `map`, which skips holes.
    return Array.from(value, (item, index) => rule(item, [...path, index], problems));
  };
}

/** Returns a rule for an object with exactly these keys. */
export function object<T extends object>(rules: Rules<T>): Rule<T> {
  return (value, path, problems) => {
    if (!isPlainObject(value)) {
      problems.push({ path, text: expected("an object", value) });
      value = {};
    }
    const fields = value as Record<string, unknown>;
    const keys = Object.keys(rules);
    for (const key of Object.keys(fields).filter((key) => !Object.hasOwn(rules, key))) {
      const text = `unknown key${didYouMean(key, keys)}`;
      problems.push({ path: [...path, key], text, isOfKey: true });
    }
    const entries = keys.map((key) => {
      const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
      return [key, rules[key as keyof T](field, [...path, key], problems)];
    });
    return Object.fromEntries(entries) as T;
  };
}

/** Returns a rule for an object whose keys match a pattern and whose values follow one rule. */
export function named<T>(
  expectation: string,
  pattern: RegExp,
  rule: Rule<T>,
): Rule<Record<string, T>> {
  return (value, path, problems) => {
    if (!isPlainObject(value)) {
      problems.push({ path, text: expected("an object", value) });
      return {};
    }
    const entries: [string, T][] = [];
    for (const [name, item] of Object.entries(value)) {
      const inside = [...path, name];
      if (!pattern.test(name)) {
        problems.push({ path: inside, text: expected(expectation, name), isOfKey: true });
      }
      entries.push([name, rule(item, inside, problems)]);
    }
    return Object.fromEntries(entries);
  };
}

/** Describes the expected and the actual value. */
export function expected(expectation: string, value: unknown): string {
  return `expected ${expectation}, got ${show(value)}`;
}

function show(value: unknown): string {
  if (value === undefined) {
    return "nothing";
  }
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") {
    return `a ${typeof value}`;
  }
  let text: string;
  try {
    text = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? typeof value);
  } catch {
    text = Object.prototype.toString.call(value);
  }
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
