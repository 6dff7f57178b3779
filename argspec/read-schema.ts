// Rebuilds a JSON Schema from the keywords that our compiler writes, in their order. Unknown
// keywords are dropped: generators turn some into code (`tsType`) and load others (`$ref` to a
// file), so they must never see them.

import type { JsonSchema } from "./argspec.js";
import { FORMATS, type FormatName } from "./limits/formats.js";
import { VALUE_CLASSES } from "./typed/value-classes.js";
import type { UntrustedJson } from "./untrusted-json.js";

const REFERENCE = "#/$defs/";
const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"] as const;
const MAX_PATTERN = 10_000;

/** @param names of the types in `$defs` */
type WordReader = (value: UntrustedJson, names: ReadonlySet<string>) => unknown;

/** Every keyword that a schema can have. */
const WORDS: ReadonlyMap<string, WordReader> = new Map<string, WordReader>([
  ["$ref", readReference],
  ["additionalProperties", readSchemaOrBoolean],
  ["anyOf", readNonEmptyList],
  ["const", (value) => value.scalar()],
  ["contentEncoding", (value) => value.oneOf("base64")],
  ["default", (value) => value.json()],
  ["deprecated", (value) => value.boolean()],
  ["description", (value) => value.text()],
  ["enum", readEnum],
  ["items", readSchemaOrBoolean],
  ["exclusiveMaximum", (value) => value.number()],
  ["exclusiveMinimum", (value) => value.number()],
  ["format", (value) => value.oneOf(...(Object.keys(FORMATS) as FormatName[]))],
  ["maxItems", (value) => value.count()],
  ["maxLength", (value) => value.count()],
  ["maximum", (value) => value.number()],
  ["minItems", (value) => value.count()],
  ["minLength", (value) => value.count()],
  ["minimum", (value) => value.number()],
  ["multipleOf", (value) => value.number()],
  ["pattern", (value) => value.text(MAX_PATTERN)],
  ["prefixItems", readNonEmptyList],
  ["properties", readProperties],
  ["propertyNames", readKeyLimits],
  ["required", (value) => [...new Set(value.items().map((name) => name.text()))]],
  ["type", (value) => value.oneOf(...TYPES)],
  ["uniqueItems", (value) => value.oneOf(true)],
  ["x-svc-keys", (value) => value.oneOf("number")],
  ["x-svc-range", (value) => value.oneOf("safe")],
  ["x-svc-type", (value) => value.oneOf(...VALUE_CLASSES)],
]);

/**
 * @param names of the types that `$ref` may name
 * @throws SvcError SVC3015
 */
export function readSchema(value: UntrustedJson, names: ReadonlySet<string>): JsonSchema {
  const words = value.members().flatMap(([word, content]): [string, unknown][] => {
    const read = WORDS.get(word);
    return read === undefined ? [] : [[word, read(content, names)]];
  });
  const schema: JsonSchema = Object.fromEntries(words);
  // Generators print required members.
  const { minItems = 0, prefixItems } = schema;
  if (prefixItems !== undefined && (minItems as number) > list(prefixItems).length) {
    throw value.fault("`minItems` may count `prefixItems` only");
  }
  return schema;
}

/** Returns the names of all types that a schema refers to. */
export function collectReferences(schema: JsonSchema): string[] {
  return [...ownReference(schema), ...partsOf(schema).flatMap(collectReferences)];
}

/**
 * Returns the names of types that the schema as a whole may be: no value consists only of itself.
 */
export function collectAliases(schema: JsonSchema): string[] {
  const members = (schema.anyOf ?? []) as readonly JsonSchema[];
  return [...ownReference(schema), ...members.flatMap(collectAliases)];
}

function ownReference({ $ref }: JsonSchema): string[] {
  return typeof $ref === "string" ? [$ref.slice(REFERENCE.length)] : [];
}

function partsOf(schema: JsonSchema): JsonSchema[] {
  const { anyOf = [], prefixItems = [], properties = {}, items, additionalProperties } = schema;
  const parts = [...list(anyOf), ...list(prefixItems), ...Object.values(properties as object)];
  return [...parts, items, additionalProperties].filter((part) => typeof part === "object");
}

function list(value: unknown): readonly JsonSchema[] {
  return value as readonly JsonSchema[];
}

function readReference(value: UntrustedJson, names: ReadonlySet<string>): string {
  const reference = value.text();
  const isKnown = reference.startsWith(REFERENCE) && names.has(reference.slice(REFERENCE.length));
  if (!isKnown) throw value.fault("expected a reference to one of `$defs`");
  return reference;
}

function readSchemaOrBoolean(
  value: UntrustedJson,
  names: ReadonlySet<string>,
): JsonSchema | boolean {
  return value.isBoolean ? value.boolean() : readSchema(value, names);
}

function readNonEmptyList(value: UntrustedJson, names: ReadonlySet<string>): JsonSchema[] {
  return nonEmpty(value).map((item) => readSchema(item, names));
}

function readEnum(value: UntrustedJson): unknown[] {
  return nonEmpty(value).map((item) => item.scalar());
}

function nonEmpty(value: UntrustedJson): UntrustedJson[] {
  const items = value.items();
  if (items.length === 0) throw value.fault("expected at least one item");
  return items;
}

const KEY_WORDS: ReadonlySet<string> = new Set(["format", "maxLength", "minLength", "pattern"]);

function readKeyLimits(value: UntrustedJson, names: ReadonlySet<string>): object {
  const words = Object.entries(readSchema(value, names)).filter(([word]) => KEY_WORDS.has(word));
  return Object.fromEntries(words);
}

function readProperties(value: UntrustedJson, names: ReadonlySet<string>): object {
  const properties = value.members().map(([name, schema]) => [name, readSchema(schema, names)]);
  return Object.fromEntries(properties);
}
