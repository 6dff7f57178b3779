// Rules for values of a configuration, as small functions that combine: each returns the value to
// keep and notes what is wrong, with its path, so that one run finds every mistake.

import type { JsonValue } from "../../runtime/settings/config.js";
import { nearestHint } from "../diagnostics/nearest.js";

/** What was found wrong, as `http.port: expected an integer from 0 to 65534, got "x"`. */
export type Problems = string[];

/** Checks one value; `undefined` stands for a key that is not there. */
export type Rule<T> = (value: unknown, path: string, problems: Problems) => T;

type Rules<T> = { readonly [K in keyof T]: Rule<T[K]> };

const MAX_SHOWN = 60;

/** A rule of one test; `fallback` stands in for a value that fails it. */
export function test<T>(what: string, isRight: (value: unknown) => boolean, fallback: T): Rule<T> {
  return (value, path, problems) => {
    if (isRight(value)) {
      return value as T;
    }
    problems.push(expected(path, what, value));
    return fallback;
  };
}

/** Replaces a value that is not there. */
export function withDefault<T>(rule: Rule<T>, fallback: T): Rule<T> {
  return (value, path, problems) => (value === undefined ? fallback : rule(value, path, problems));
}

export function nullable<T>(rule: Rule<T>): Rule<T | null> {
  return (value, path, problems) => (value === null ? null : rule(value, path, problems));
}

export function string(what = "a string", pattern = /^/): Rule<string> {
  return test(what, (value) => typeof value === "string" && pattern.test(value), "");
}

export const boolean: Rule<boolean> = test(
  "true or false",
  (value) => typeof value === "boolean",
  false,
);

export function integer(least: number, most: number): Rule<number> {
  const isInside = (value: unknown) =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
  return test(`an integer from ${least} to ${most}`, isInside, least);
}

export function oneOf<T extends string>(...words: readonly T[]): Rule<T> {
  const what = `one of ${words.map((word) => JSON.stringify(word)).join(", ")}`;
  return test(what, (value) => words.includes(value as T), words[0] as T);
}

/** One rule for strings, another for everything else. */
export function stringOr<A, B>(forStrings: Rule<A>, others: Rule<B>): Rule<A | B> {
  return (value, path, problems) =>
    (typeof value === "string" ? forStrings : others)(value, path, problems);
}

export function list<T>(rule: Rule<T>, what: string): Rule<T[]> {
  return (value, path, problems) => {
    if (!Array.isArray(value)) {
      problems.push(expected(path, what, value));
      return [];
    }
    return value.map((item, index) => rule(item, `${path}[${index}]`, problems));
  };
}

/** An object with these keys and no others. */
export function object<T extends object>(rules: Rules<T>): Rule<T> {
  return (value, path, problems) => {
    if (!isPlainObject(value)) {
      problems.push(expected(path, "an object", value));
      value = {};
    }
    const given = value as Record<string, unknown>;
    const known = Object.keys(rules);
    const at = (key: string) => (path === "" ? key : `${path}.${key}`);
    for (const key of Object.keys(given).filter((key) => !Object.hasOwn(rules, key))) {
      problems.push(`${at(key)}: unknown key${nearestHint(key, known)}`);
    }
    const kept = known.map((key) => {
      const own = Object.hasOwn(given, key) ? given[key] : undefined;
      return [key, rules[key as keyof T](own, at(key), problems)];
    });
    return Object.fromEntries(kept) as T;
  };
}

/** An object whose keys are names of one form, and whose values follow one rule. */
export function named<T>(what: string, pattern: RegExp, rule: Rule<T>): Rule<Record<string, T>> {
  return (value, path, problems) => {
    if (!isPlainObject(value)) {
      problems.push(expected(path, "an object", value));
      return {};
    }
    const kept: [string, T][] = [];
    for (const [name, item] of Object.entries(value)) {
      if (!pattern.test(name)) problems.push(`${path}: ${show(name)} is not ${what}`);
      kept.push([name, rule(item, `${path}.${name}`, problems)]);
    }
    return Object.fromEntries(kept);
  };
}

/** An object whose values JSON can carry. */
export const jsonObject: Rule<{ readonly [key: string]: JsonValue }> = (value, path, problems) => {
  if (!isPlainObject(value)) {
    problems.push(expected(path, "an object", value));
    return {};
  }
  checkJson(value, path, problems);
  return value as { readonly [key: string]: JsonValue };
};

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  const prototype = Object.getPrototypeOf(value) as object | null;
  // Whatever realm it comes from, a plain object's prototype is at the end of its chain.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function expected(path: string, what: string, value: unknown): string {
  return `${path === "" ? "configuration" : path}: expected ${what}, got ${show(value)}`;
}

function checkJson(value: unknown, path: string, problems: Problems): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      checkJson(item, `${path}[${index}]`, problems);
    }
  } else if (isPlainObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      checkJson(item, `${path}.${key}`, problems);
    }
  } else if (!isJsonScalar(value)) {
    problems.push(expected(path, "a value that JSON can carry", value));
  }
}

function isJsonScalar(value: unknown): boolean {
  return (
    value === null ||
    value === undefined ||
    typeof value === "string" ||
    typeof value === "boolean" ||
    Number.isFinite(value)
  );
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
