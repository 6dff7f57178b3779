// Decides whether every value of one type is a value of another: `number` accepts `integer`, not
// the reverse. Never returns a wrong yes; in doubt it returns no. Recursive types are compared
// coinductively: a pair under comparison is assumed to fit.

import type { JsonSchema } from "../argspec.js";
import { isImpliedBy, isWithin } from "../limits/implied.js";
import { type Limits, readLimits } from "../limits/limits.js";
import { classifySchema, type Definitions, type Forms, type Scalar } from "./forms.js";
import { propertyPath, typeText } from "./type-text.js";

/** How the accepting side reads objects: whether it allows keys that its type does not name. */
export type CompareDirection = "strict" | "tolerant";

/** The first part of a type with a value that the other type does not accept. */
export interface Incompatibility {
  /**
   * Path within the value: `.x`, `[0]`, or `[]` for every item of a list; empty for the whole
   * value.
   */
  readonly path: string;
  readonly source: string;
  readonly target: string;
}

/** A type and the named types that it refers to. */
export interface Type {
  readonly schema: JsonSchema;
  readonly definitions: Definitions;
}

/** Types that are nested deeper, or that need more comparisons, count as incompatible. */
const MAX_NESTING = 300;
const MAX_COMPARISONS = 200_000;
const ABSENT = "absent";

type Part = JsonSchema | false;

/** Returns null if every value of `source` is a value of `target`. */
export function findIncompatibility(
  source: Type,
  target: Type,
  reading: CompareDirection,
): Incompatibility | null {
  return new Comparison(source.definitions, target.definitions, reading).compare(
    source.schema,
    target.schema,
  );
}

class Comparison {
  readonly #isTolerant: boolean;
  readonly #sourceForms: (schema: JsonSchema) => Forms;
  readonly #targetForms: (schema: JsonSchema) => Forms;
  /**
   * Results of compared arrays and objects; null: compatible, or assumed to be while under
   * comparison.
   */
  readonly #known = new Map<JsonSchema, Map<JsonSchema, Incompatibility | null>>();
  /** Compatible pairs; each assumes that all pairs before it are compatible. */
  readonly #assumed: [JsonSchema, JsonSchema][] = [];
  #nesting = 0;
  #comparisons = 0;

  constructor(source: Definitions, target: Definitions, reading: CompareDirection) {
    this.#isTolerant = reading === "tolerant";
    this.#sourceForms = cached((schema) => classifySchema(schema, source));
    this.#targetForms = cached((schema) => classifySchema(schema, target));
  }

  compare(source: JsonSchema, target: JsonSchema): Incompatibility | null {
    const from = this.#sourceForms(source);
    const to = this.#targetForms(target);
    if (to.isAny) return null;
    const whole = () => ({ path: "", source: typeText(source), target: typeText(target) });
    if (from.isAny || !takesScalars(from, to)) return whole();
    for (const kind of ["arrays", "objects"] as const) {
      for (const part of from[kind]) {
        const incompatibility = this.#compareWithAll(part, to[kind], whole);
        if (incompatibility !== null) return incompatibility;
      }
    }
    return null;
  }

  /** An array or object must be compatible with one type of its kind. */
  #compareWithAll(
    source: JsonSchema,
    candidates: readonly JsonSchema[],
    whole: () => Incompatibility,
  ): Incompatibility | null {
    let last: Incompatibility | null = null;
    for (const candidate of candidates) {
      const incompatibility = this.#compareKnown(source, candidate);
      if (incompatibility === null) return null;
      last = incompatibility;
    }
    // With several candidates, no single one can be named.
    return candidates.length === 1 ? last : whole();
  }

  #compareKnown(source: JsonSchema, target: JsonSchema): Incompatibility | null {
    const known = this.#known.get(source) ?? new Map<JsonSchema, Incompatibility | null>();
    this.#known.set(source, known);
    const found = known.get(target);
    if (found !== undefined) return found;
    if (this.#nesting >= MAX_NESTING || ++this.#comparisons > MAX_COMPARISONS) {
      return { path: "", source: typeText(source), target: typeText(target) };
    }
    known.set(target, null);
    const mark = this.#assumed.push([source, target]) - 1;
    this.#nesting++;
    const isArray = source.type === "array";
    const incompatibility = isArray
      ? this.#compareArrays(source, target)
      : this.#compareObjects(source, target);
    this.#nesting--;
    if (incompatibility === null) return null;
    // Pairs found compatible under the assumption that this one is.
    for (const [left, right] of this.#assumed.splice(mark)) this.#known.get(left)!.delete(right);
    known.set(target, incompatibility);
    return incompatibility;
  }

  #compareArrays(source: JsonSchema, target: JsonSchema): Incompatibility | null {
    const [from, to] = [readArray(source), readArray(target)];
    const { minItems: _, ...limits } = readLimits(target);
    if (!isImpliedBy({ ...fewest(from), ...readLimits(source) }, limits)) {
      return { path: "", source: typeText(source), target: typeText(target) };
    }
    if (from.required < to.required) {
      const at = from.required;
      return { path: `[${at}]`, source: itemText(from, at), target: itemText(to, at) };
    }
    const length = Math.max(from.first.length, to.first.length);
    for (let at = 0; at < length; at++) {
      const item = from.first[at] ?? from.rest;
      // From here on, no value has items.
      if (item === false) break;
      const incompatibility = this.#comparePart(item, to.first[at] ?? to.rest, `[${at}]`);
      if (incompatibility !== null) return incompatibility;
    }
    return from.rest === false ? null : this.#comparePart(from.rest, to.rest, "[]");
  }

  #compareObjects(source: JsonSchema, target: JsonSchema): Incompatibility | null {
    const [from, to] = [readObject(source), readObject(target)];
    for (const name of to.required) {
      if (!from.required.has(name)) {
        const path = propertyPath(name);
        return { path, source: propertyText(from, name), target: propertyText(to, name) };
      }
    }
    for (const name of new Set([...from.properties.keys(), ...to.properties.keys()])) {
      const part = from.properties.get(name) ?? from.rest;
      if (from.properties.has(name) && !isKeyOf(to, name)) {
        return {
          path: propertyPath(name),
          source: propertyText(from, name),
          target: keysText(to),
        };
      }
      const target = to.properties.get(name) ?? this.#restOf(to);
      const incompatibility =
        part === false ? null : this.#comparePart(part, target, propertyPath(name));
      if (incompatibility !== null) return incompatibility;
    }
    if (from.rest === false) return null;
    if (!isImpliedBy(from.keys, to.keys)) {
      return { path: "[key]", source: keysText(from), target: keysText(to) };
    }
    return this.#comparePart(from.rest, this.#restOf(to), "[key]");
  }

  /** Returns the type of properties that the object type does not name. */
  #restOf({ rest }: ObjectType): Part {
    return rest === false && this.#isTolerant ? {} : rest;
  }

  #comparePart(source: JsonSchema, target: Part, path: string): Incompatibility | null {
    if (target === false) return { path, source: typeText(source), target: ABSENT };
    const incompatibility = this.compare(source, target);
    return incompatibility === null
      ? null
      : { ...incompatibility, path: path + incompatibility.path };
  }
}

function takesScalars(from: Forms, to: Forms): boolean {
  return (
    [...from.scalars].every((value) => takesScalar(to, value)) &&
    [...from.numbers].every((type) => to.numbers.has("number") || to.numbers.has(type)) &&
    // Whether one pattern implies another cannot be decided.
    [...from.texts].every((pattern) => to.texts.has(null) || to.texts.has(pattern)) &&
    from.limited.every((schema) => takesLimited(to, schema)) &&
    from.opaque.every((schema) => to.opaque.some((other) => isSameText(schema, other)))
  );
}

function takesLimited(to: Forms, schema: JsonSchema): boolean {
  const isText = schema.type === "string";
  if (isText && to.texts.has(null)) return true;
  if (!isText && (to.numbers.has("number") || to.numbers.has(schema.type as "integer")))
    return true;
  return to.limited.some(
    (accepted) =>
      isOfType(schema, accepted) && isImpliedBy(readLimits(schema), readLimits(accepted)),
  );
}

/** Every integer is a number. */
function isOfType({ type }: JsonSchema, target: JsonSchema): boolean {
  return type === target.type || (type === "integer" && target.type === "number");
}

function takesScalar(to: Forms, value: Scalar): boolean {
  if (to.scalars.has(value)) return true;
  if (typeof value !== "string" && typeof value !== "number") return false;
  if (
    to.limited.some((accepted) => hasType(value, accepted) && isWithin(value, readLimits(accepted)))
  ) {
    return true;
  }
  if (typeof value === "string") return to.texts.has(null);
  return to.numbers.has("number") || (to.numbers.has("integer") && Number.isSafeInteger(value));
}

function hasType(value: string | number, { type }: JsonSchema): boolean {
  if (typeof value === "string" || type === "number") return type === typeof value;
  return type === "integer" && Number.isSafeInteger(value);
}

/** Equal references may resolve to different types on the two sides. */
function isSameText(source: JsonSchema, target: JsonSchema): boolean {
  const text = JSON.stringify(source);
  return text === JSON.stringify(target) && !text.includes('"$ref"');
}

interface ArrayType {
  readonly first: readonly JsonSchema[];
  readonly rest: Part;
  /** Returns the minimum number of items. */
  readonly required: number;
}

function readArray({ prefixItems, items, minItems }: JsonSchema): ArrayType {
  return {
    first: (prefixItems ?? []) as readonly JsonSchema[],
    rest: partOf(items),
    required: (minItems ?? 0) as number,
  };
}

/** Returns the maximum number of listed items. */
function fewest({ first, rest }: ArrayType): Limits {
  return rest === false ? { maxItems: first.length } : {};
}

function itemText({ first, rest, required }: ArrayType, at: number): string {
  const item = first[at] ?? rest;
  if (item === false) return ABSENT;
  return at < required ? typeText(item) : `optional ${typeText(item)}`;
}

interface ObjectType {
  readonly properties: ReadonlyMap<string, JsonSchema>;
  readonly required: ReadonlySet<string>;
  readonly rest: Part;
  /** Limits of all keys. */
  readonly keys: Limits;
}

function readObject(schema: JsonSchema): ObjectType {
  const { properties, required, additionalProperties, propertyNames } = schema;
  return {
    properties: new Map(Object.entries((properties ?? {}) as Record<string, JsonSchema>)),
    required: new Set((required ?? []) as readonly string[]),
    rest: partOf(additionalProperties),
    keys: readLimits((propertyNames ?? {}) as JsonSchema),
  };
}

/** Limits of keys do not apply to properties that the type names. */
function isKeyOf({ properties, keys }: ObjectType, name: string): boolean {
  return properties.has(name) || isWithin(name, keys);
}

function keysText({ keys }: ObjectType): string {
  const { pattern, ...others } = keys;
  const limits = Object.entries(others).map(([word, limit]) => `${word} ${limit}`);
  const like = pattern === undefined ? [] : [`like ${pattern}`];
  const words = [...like, ...limits];
  return words.length === 0 ? "any key" : `keys ${words.join(", ")}`;
}

function propertyText({ properties, required, rest }: ObjectType, name: string): string {
  const part = properties.get(name) ?? rest;
  if (part === false) return ABSENT;
  return required.has(name) ? typeText(part) : `optional ${typeText(part)}`;
}

/** Reads a schema for additional members; an absent schema accepts everything. */
function partOf(word: unknown): Part {
  return word === undefined || word === true ? {} : (word as Part);
}

function cached<T>(make: (schema: JsonSchema) => T): (schema: JsonSchema) => T {
  const cache = new Map<JsonSchema, T>();
  return (schema) => {
    const known = cache.get(schema) ?? make(schema);
    cache.set(schema, known);
    return known;
  };
}
