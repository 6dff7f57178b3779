// Limits on values beyond their type: the JSON Schema keywords that the compiler reads from doc
// comments (`@minimum 1`), and the one check shared by compiler, converters and tools.

import { FORMATS, type FormatName } from "./formats.js";
import { linearPattern } from "./linear-pattern.js";

export interface Limits {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  /** Lengths count Unicode code points: an emoji is one, or a few. */
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: FormatName;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: true;
}

export type LimitWord = keyof Limits;
export type LimitedKind = "number" | "string" | "array";

/** Every keyword, with the kind of value that it limits. */
export const LIMIT_WORDS: Readonly<Record<LimitWord, LimitedKind>> = {
  minimum: "number",
  maximum: "number",
  exclusiveMinimum: "number",
  exclusiveMaximum: "number",
  multipleOf: "number",
  minLength: "string",
  maxLength: "string",
  pattern: "string",
  format: "string",
  minItems: "array",
  maxItems: "array",
  uniqueItems: "array",
};

/** Returns null, or the requirement as text: ` (at least 1 is required)`. */
export type LimitCheck = (value: unknown) => string | null;

/** Returns the limits in a schema. */
export function readLimits(schema: Readonly<Record<string, unknown>>): Limits {
  return Object.fromEntries(Object.entries(schema).filter(([word]) => word in LIMIT_WORDS));
}

/** Returns those limits of a foreign schema that can be checked here. */
export function applicableLimits(schema: Readonly<Record<string, unknown>>): Limits {
  const { pattern, format, ...limits } = readLimits(schema);
  return {
    ...limits,
    ...(pattern !== undefined && isLinear(pattern) && { pattern }),
    ...(format !== undefined && Object.hasOwn(FORMATS, format) && { format }),
  };
}

function isLinear(pattern: string): boolean {
  try {
    linearPattern(pattern);
    return true;
  } catch {
    return false;
  }
}

/** Compiles a check for values whose kind is known to be right. */
export function limitCheck(limits: Limits): LimitCheck {
  const checks = (Object.keys(LIMIT_WORDS) as LimitWord[])
    // Checks lengths first, so that patterns see bounded text.
    .filter((word) => limits[word] !== undefined)
    .map((word) => ({ fits: fitting(word, limits), fault: ` (${limitText(word, limits)})` }));
  return (value) => {
    for (const { fits, fault } of checks) if (!fits(value as never)) return fault;
    return null;
  };
}

function fitting(word: LimitWord, limits: Limits): (value: never) => boolean {
  const limit = limits[word] as number;
  switch (word) {
    case "minimum":
      return (value: number) => value >= limit;
    case "maximum":
      return (value: number) => value <= limit;
    case "exclusiveMinimum":
      return (value: number) => value > limit;
    case "exclusiveMaximum":
      return (value: number) => value < limit;
    case "multipleOf":
      return (value: number) => isMultiple(value, limit);
    case "minLength":
      return (value: string) => value.length >= limit * 2 || lengthOf(value) >= limit;
    case "maxLength":
      return (value: string) =>
        value.length <= limit || (value.length <= limit * 2 && lengthOf(value) <= limit);
    case "pattern":
      return linearPattern(limits.pattern!);
    case "format":
      return FORMATS[limits.format!].fits;
    case "minItems":
      return (value: readonly unknown[]) => value.length >= limit;
    case "maxItems":
      return (value: readonly unknown[]) => value.length <= limit;
    case "uniqueItems":
      return (value: readonly unknown[]) => new Set(value.map(sameText)).size === value.length;
  }
}

/** Describes a limit in words. */
function limitText(word: LimitWord, limits: Limits): string {
  const limit = limits[word];
  const required: Readonly<Record<LimitWord, string>> = {
    minimum: `at least ${limit} is`,
    maximum: `at most ${limit} is`,
    exclusiveMinimum: `more than ${limit} is`,
    exclusiveMaximum: `less than ${limit} is`,
    multipleOf: `a multiple of ${limit} is`,
    minLength: `at least ${counted(limit, "character")}`,
    maxLength: `at most ${counted(limit, "character")}`,
    pattern: `a string like ${limit} is`,
    format: `${limits.format === undefined ? "" : FORMATS[limits.format].words} is`,
    minItems: `at least ${counted(limit, "item")}`,
    maxItems: `at most ${counted(limit, "item")}`,
    uniqueItems: "items that all differ are",
  };
  return `${required[word]} required`;
}

function counted(limit: unknown, noun: string): string {
  return limit === 1 ? `1 ${noun} is` : `${limit} ${noun}s are`;
}

/** Although not in binary, 0.3 is a multiple of 0.1. */
function isMultiple(value: number, step: number): boolean {
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * 1e-12;
}

function lengthOf(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; length++) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return length;
}

/**
 * Returns a key that is equal for values equal in JSON Schema, whatever the order of their
 * properties.
 */
function sameText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sameText).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = value as Readonly<Record<string, unknown>>;
  const pairs = Object.keys(fields).sort();
  return `{${pairs.map((key) => `${JSON.stringify(key)}:${sameText(fields[key])}`).join()}}`;
}
