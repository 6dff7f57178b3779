// Converts the schemas of an argspec to OpenAPI 3.1, which uses JSON Schema 2020-12. Only words
// that the compiler emits pass, so no reference can lead elsewhere. Constructs that generators
// misread are expressed differently, with the same values.

import type { JsonSchema } from "../argspec.js";
import { LIMIT_WORDS } from "../limits/limits.js";

const DEFINITIONS = "#/$defs/";
const SCHEMAS = "#/components/schemas/";
/** Keywords whose value is data or text. */
const PLAIN_WORDS = [
  ..."type const enum required description default deprecated contentEncoding propertyNames".split(
    " ",
  ),
  ...Object.keys(LIMIT_WORDS),
];
const LIST_WORDS = ["prefixItems", "anyOf"];
const SCHEMA_WORDS = ["items", "additionalProperties"];

/** @param types component of each name in `$defs` */
export function schemaObject(schema: JsonSchema, types: ReadonlyMap<string, string>): JsonSchema {
  const inner = (part: unknown) => (isObject(part) ? schemaObject(part, types) : part);
  const words = Object.entries(schema).flatMap(([word, value]): [string, unknown][] => {
    if (word === "$ref") return reference(value, types);
    if (word === "x-svc-range") return [["format", "double-int"]];
    if (PLAIN_WORDS.includes(word)) return [[word, value]];
    if (LIST_WORDS.includes(word) && Array.isArray(value)) return [[word, value.map(inner)]];
    if (word === "properties" && isObject(value)) return [[word, mapValues(value, inner)]];
    // Servers ignore additional keys, and a plugin may return more than it declares.
    if (word === "additionalProperties" && value === false) return [];
    return SCHEMA_WORDS.includes(word) ? [[word, inner(value)]] : [];
  });
  return { ...literalType(schema), ...Object.fromEntries(words) };
}

export function schemaReference(component: string): JsonSchema {
  return { $ref: `${SCHEMAS}${component}` };
}

function reference(target: unknown, types: ReadonlyMap<string, string>): [string, unknown][] {
  if (typeof target !== "string" || !target.startsWith(DEFINITIONS)) return [];
  const component = types.get(target.slice(DEFINITIONS.length));
  return component === undefined ? [] : Object.entries(schemaReference(component));
}

/** JSON Schema does not require the type of literals, but generators do. */
function literalType({ type, const: only, enum: members }: JsonSchema): JsonSchema {
  const values = only !== undefined ? [only] : Array.isArray(members) ? members : [];
  const types = new Set(values.map((value) => typeof value));
  const [first] = types;
  const isOne = types.size === 1 && ["string", "number", "boolean"].includes(first ?? "");
  return isOne && type === undefined ? { type: first } : {};
}

function mapValues(
  object: Readonly<Record<string, unknown>>,
  change: (value: unknown) => unknown,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
