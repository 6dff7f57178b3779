// One value of an untrusted document, with its path. Readers extract values by their expected
// types. Invalid, deep or oversized values throw an SvcError, never another exception.

import { SvcError } from "../runtime/base/errors.js";

/** Bounds of one document. Any that our compiler writes is far below them. */
const MAX_DEPTH = 200;
const MAX_VALUES = 2_000_000;
const MAX_TEXT = 1 << 20;
const MAX_KEY = 10_000;

/** A value of JSON, read as a copy. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** How many more values a document may have. */
interface Budget {
  values: number;
}

export class UntrustedJson {
  readonly #value: unknown;
  readonly #path: string;
  readonly #depth: number;
  readonly #budget: Budget;

  private constructor(value: unknown, path: string, depth: number, budget: Budget) {
    this.#value = value;
    this.#path = path;
    this.#depth = depth;
    this.#budget = budget;
    if (depth > MAX_DEPTH) throw this.fault("nested too deeply");
    if (--budget.values < 0) throw this.fault("the document holds too much");
  }

  static document(value: unknown): UntrustedJson {
    return new UntrustedJson(value, "", 0, { values: MAX_VALUES });
  }

  get isNull(): boolean {
    return this.#value === null;
  }

  get isBoolean(): boolean {
    return typeof this.#value === "boolean";
  }

  /** Returns an error that names the path and the expected value. */
  fault(expected: string): SvcError {
    const location = this.#path === "" ? "the document" : this.#path;
    return new SvcError("SVC3015", `invalid argspec: ${location}: ${expected}`);
  }

  /** The own member of an object, undefined where it has none. */
  optional(name: string): UntrustedJson | undefined {
    const object = this.#object();
    return Object.hasOwn(object, name) && object[name] !== undefined
      ? this.#inner(name, object[name])
      : undefined;
  }

  member(name: string): UntrustedJson {
    const member = this.optional(name);
    if (member === undefined) throw this.fault(`\`${name}\` is missing`);
    return member;
  }

  /** All own members of an object, in its order. */
  members(): [name: string, value: UntrustedJson][] {
    return Object.entries(this.#object()).map(([name, value]) => {
      if (name.length > MAX_KEY) throw this.fault("a key is too long");
      return [name, this.#inner(name, value)];
    });
  }

  /** @param maxItems how many items there may be */
  items(maxItems = MAX_VALUES): UntrustedJson[] {
    const value = this.#value;
    if (!Array.isArray(value)) throw this.fault("expected a list");
    if (value.length > maxItems) throw this.fault(`at most ${maxItems} items are allowed`);
    // Not map, which leaves out holes.
    return Array.from(value, (item: unknown, index) => this.#inner(String(index), item));
  }

  text(maxLength = MAX_TEXT): string {
    const value = this.#value;
    if (typeof value !== "string") throw this.fault("expected a string");
    if (value.length > maxLength) throw this.fault(`at most ${maxLength} characters are allowed`);
    return value;
  }

  /** @param expected such as "a name" */
  matching(pattern: RegExp, expected: string): string {
    const text = this.text();
    if (!pattern.test(text)) throw this.fault(`expected ${expected}`);
    return text;
  }

  oneOf<T extends string | number | boolean>(...allowed: readonly T[]): T {
    const found = allowed.find((candidate) => candidate === this.#value);
    if (found === undefined) throw this.fault(`expected one of ${allowed.join(", ")}`);
    return found;
  }

  boolean(): boolean {
    return this.oneOf(true, false);
  }

  count(): number {
    const value = this.#value;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
    throw this.fault("expected a non-negative integer");
  }

  number(): number {
    const value = this.#value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    throw this.fault("expected a number");
  }

  scalar(): string | number | boolean | null {
    const value = this.json();
    if (typeof value === "object" && value !== null) throw this.fault("expected a scalar");
    return value;
  }

  /** Any value of JSON; no key of it can reach a prototype. */
  json(): Json {
    const value = this.#value;
    if (value === null || typeof value === "boolean") return value;
    if (typeof value === "string") return this.text();
    if (typeof value === "number" && Number.isFinite(value)) return value;
    if (Array.isArray(value)) return this.items().map((item) => item.json());
    return Object.fromEntries(this.members().map(([name, item]) => [name, item.json()]));
  }

  #object(): Readonly<Record<string, unknown>> {
    const value = this.#value;
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw this.fault("expected an object");
    }
    return value as Readonly<Record<string, unknown>>;
  }

  #inner(name: string, value: unknown): UntrustedJson {
    // Names come from outside, too: long ones would make long messages.
    const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name;
    const path = this.#path === "" ? shown : `${this.#path}.${shown}`;
    return new UntrustedJson(value, path, this.#depth + 1, this.#budget);
  }
}
