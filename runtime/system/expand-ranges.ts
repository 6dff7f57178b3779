// Expands ranges in the names of a descriptor: `S{1..2}.{1..500}` stands for a thousand instances.
// In the value of such a key, `{1}` and `{2}` are the numbers of its ranges. Limits the number of
// names and ranges, and the expanded size, because a few bytes can expand to gigabytes.

import { isPlainObject } from "../base/plain-object.js";
import { DescriptorErrors } from "./descriptor-errors.js";

/** Maximum number of expanded names of a descriptor. */
const MAX_NAMES = 100_000;
/** Maximum ranges of a name. */
const MAX_RANGES = 9;
/** Maximum size of all copies of values: characters, keys and items. */
const MAX_SIZE = 8 * 1024 * 1024;
const MAX_DEPTH = 64;
const MAX_SHOWN = 100;
const RANGE = /\{(0|[1-9]\d{0,4})\.\.(0|[1-9]\d{0,4})\}/g;
const NUMBER = /\{([1-9])\}/g;
const NO_NUMBERS: readonly number[] = [];

export interface RangeName {
  readonly name: string;
  /** The numbers of its ranges; empty: no ranges. */
  readonly numbers: readonly number[];
}

export class RangeExpander {
  readonly #errors: DescriptorErrors;
  #names = 0;
  #size = 0;

  constructor(errors: DescriptorErrors) {
    this.#errors = errors;
  }

  /** Expands the ranges in keys and lists of a part of a descriptor. */
  expand(value: unknown): unknown {
    return this.#expand(value, NO_NUMBERS, 0);
  }

  /** Expands a name; returns the name itself if it contains no range. */
  list(name: string): RangeName[] {
    const ranges = [...name.matchAll(RANGE)];
    const bounds = ranges.map(([, from, to]) => [Number(from), Number(to)] as const);
    const fault = this.#findFault(name, bounds);
    if (fault !== null) {
      const shown = name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}...` : name;
      this.#errors.add(`System descriptor range of ${shown} ${fault}`);
      return [];
    }
    let expanded: RangeName[] = [{ name: "", numbers: NO_NUMBERS }];
    let end = 0;
    for (const [at, [from, to]] of bounds.entries()) {
      const { index, 0: text } = ranges[at]!;
      const before = name.slice(end, index);
      end = index + text.length;
      expanded = expanded.flatMap((start) =>
        Array.from({ length: to - from + 1 }, (_, n) => ({
          name: `${start.name}${before}${from + n}`,
          numbers: [...start.numbers, from + n],
        })),
      );
    }
    const rest = name.slice(end);
    return expanded.map(({ name: start, numbers }) => ({ name: start + rest, numbers }));
  }

  /** Returns why a name cannot be expanded; null: it can. */
  #findFault(name: string, bounds: readonly (readonly [number, number])[]): string | null {
    if (hasMoreRanges(name, bounds.length)) {
      return "is invalid: {from..to} of whole numbers from 0 to 99999 required, not 01";
    }
    if (bounds.length > MAX_RANGES) return `is one of ${bounds.length}: ${MAX_RANGES} at most`;
    if (bounds.some(([from, to]) => to < from)) return "is empty";
    if (bounds.length === 0) return null;
    this.#names += bounds.reduce((product, [from, to]) => product * (to - from + 1), 1);
    return this.#names > MAX_NAMES ? `exceeds ${MAX_NAMES} names` : null;
  }

  #expand(value: unknown, numbers: readonly number[], depth: number): unknown {
    // Deeper trees are errors, reported elsewhere.
    if (depth > MAX_DEPTH || this.#isTooLarge(value, numbers)) return value;
    if (typeof value === "string") return insertNumbers(value, numbers);
    if (Array.isArray(value)) {
      return value.flatMap((item) => {
        if (typeof item !== "string") return [this.#expand(item, numbers, depth + 1)];
        return this.#list(item, numbers).map(({ name }) => name);
      });
    }
    return isPlainObject(value) ? this.#expandKeys(value, numbers, depth) : value;
  }

  /** Adds a value's size if it is copied. @returns whether the copies are too large */
  #isTooLarge(value: unknown, numbers: readonly number[]): boolean {
    if (numbers.length === 0 || this.#size > MAX_SIZE) return this.#size > MAX_SIZE;
    this.#size += typeof value === "string" ? value.length : 1;
    if (this.#size <= MAX_SIZE) return false;
    this.#errors.add(`System descriptor ranges stand for over ${MAX_SIZE} characters`);
    return true;
  }

  #expandKeys(dict: Readonly<Record<string, unknown>>, numbers: readonly number[], depth: number) {
    const entries = new Map<string, unknown>();
    for (const [key, value] of Object.entries(dict)) {
      // Comments are for readers, and may contain any text.
      if (key === "comment") {
        entries.set(key, value);
        continue;
      }
      for (const { name, numbers: ownNumbers } of this.#list(key, numbers)) {
        if (entries.has(name)) this.#errors.add(`System descriptor has ${name} twice: see ${key}`);
        const inner = ownNumbers.length === 0 ? numbers : ownNumbers;
        entries.set(name, this.#expand(value, inner, depth + 1));
      }
    }
    return Object.fromEntries(entries);
  }

  /** Inserted numbers cannot create further ranges. */
  #list(name: string, numbers: readonly number[]): RangeName[] {
    const isPlain = !name.includes("{");
    if (numbers.length > 0 && this.#isTooLarge(name, numbers)) return [];
    if (isPlain) return [{ name, numbers: NO_NUMBERS }];
    const expanded = this.list(name);
    if (numbers.length === 0) return expanded;
    return expanded.map((range) => ({ ...range, name: insertNumbers(range.name, numbers) }));
  }
}

/** Returns whether a name has braces with dots that are not a range. */
function hasMoreRanges(name: string, ranges: number): boolean {
  const inBraces = name.split("{").slice(1);
  return inBraces.filter((text) => text.split("}", 1)[0]!.includes("..")).length > ranges;
}

/** Expands a key of a valid descriptor. */
export function listRange(key: string): readonly RangeName[] {
  return new RangeExpander(new DescriptorErrors()).list(key);
}

/** Keeps placeholders without a number: the rules for names reject them. */
function insertNumbers(text: string, numbers: readonly number[]): string {
  if (numbers.length === 0) return text;
  return text.replace(NUMBER, (placeholder, at) => `${numbers[Number(at) - 1] ?? placeholder}`);
}
