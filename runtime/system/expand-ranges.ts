// Ranges in the names of a descriptor: `S{1..2}.{1..500}` stands for a thousand instances. In the
// value of such a key, `{1}` and `{2}` are the numbers of its ranges.

import { isPlainObject } from "../base/plain-object.js";
import type { DescriptorErrors } from "./descriptor-errors.js";

/** Names that ranges may stand for, together. */
const MAX_NAMES = 100_000;
const MAX_DEPTH = 64;
const RANGE = /\{(\d{1,5})\.\.(\d{1,5})\}/;
const NUMBER = /\{(\d)\}/g;
const NO_NUMBERS: readonly number[] = [];

type Expanded = readonly [name: string, numbers: readonly number[]];

export class RangeExpander {
  readonly #errors: DescriptorErrors;
  #names = 0;

  constructor(errors: DescriptorErrors) {
    this.#errors = errors;
  }

  /** Returns a part of a descriptor without ranges in its keys and lists. */
  expand(value: unknown): unknown {
    return this.#expand(value, NO_NUMBERS, 0);
  }

  #expand(value: unknown, numbers: readonly number[], depth: number): unknown {
    // Deeper trees are errors, reported elsewhere.
    if (depth > MAX_DEPTH) return value;
    if (typeof value === "string") return insertNumbers(value, numbers);
    if (Array.isArray(value)) {
      return value.flatMap((item) => {
        if (typeof item !== "string") return [this.#expand(item, numbers, depth + 1)];
        return this.#list(insertNumbers(item, numbers)).map(([name]) => name);
      });
    }
    return isPlainObject(value) ? this.#expandKeys(value, numbers, depth) : value;
  }

  #expandKeys(dict: Readonly<Record<string, unknown>>, numbers: readonly number[], depth: number) {
    const entries = new Map<string, unknown>();
    for (const [key, value] of Object.entries(dict)) {
      for (const [name, own] of this.#list(insertNumbers(key, numbers))) {
        if (entries.has(name)) this.#errors.add(`System descriptor has ${name} twice: see ${key}`);
        const inner = own.length === 0 ? numbers : own;
        entries.set(name, this.#expand(value, inner, depth + 1));
      }
    }
    return Object.fromEntries(entries);
  }

  /** Returns the names that a name stands for; itself if it has no range. */
  #list(name: string, numbers: readonly number[] = NO_NUMBERS): Expanded[] {
    const range = RANGE.exec(name);
    if (range === null) return [[name, numbers]];
    const [from, to] = [Number(range[1]), Number(range[2])];
    const count = to - from + 1;
    this.#names += Math.max(1, count);
    if (count < 1 || this.#names > MAX_NAMES) {
      const why = count < 1 ? "is empty" : `exceeds ${MAX_NAMES} names`;
      if (this.#names < Number.POSITIVE_INFINITY) {
        this.#errors.add(`System descriptor range ${range[0]} of ${name} ${why}`);
      }
      if (count >= 1) this.#names = Number.POSITIVE_INFINITY;
      return [];
    }
    const [before, after] = [name.slice(0, range.index), name.slice(range.index + range[0].length)];
    return Array.from({ length: count }, (_, index) => from + index).flatMap((number) =>
      this.#list(`${before}${number}${after}`, [...numbers, number]),
    );
  }
}

/** Numbers that are not there stay as they are: the rules for names reject them. */
function insertNumbers(text: string, numbers: readonly number[]): string {
  if (numbers.length === 0) return text;
  return text.replace(NUMBER, (placeholder, at) => `${numbers[Number(at) - 1] ?? placeholder}`);
}
