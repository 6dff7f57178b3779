// A naive validator of the parts of JSON Schema 2020-12 that the compiler writes.

import type { JsonSchema } from "../../../argspec/argspec.js";
import { toJsonSchema } from "../../../compiler/emit/json-schema.js";
import type { TypeTable } from "../../../compiler/record/type-shape.js";
import { isObject } from "../../../runtime/plugin/contract/shape-check.js";

export interface Validation {
  readonly definitions: Readonly<Record<string, JsonSchema>>;
  /** Whether closed objects allow additional properties. */
  readonly isOpen: boolean;
}

export function collectSchemas(types: TypeTable): Validation["definitions"] {
  const schemas = Object.entries(types).map(([name, shape]) => [name, toJsonSchema(shape)]);
  return Object.fromEntries(schemas);
}

export function accepts(by: Validation, schema: JsonSchema | false, value: unknown): boolean {
  if (schema === false || !isWithin(schema, value)) return false;
  const { $ref, anyOf, type, pattern } = schema;
  if (typeof $ref === "string") {
    return accepts(by, by.definitions[$ref.replace("#/$defs/", "")]!, value);
  }
  if (Array.isArray(anyOf)) return anyOf.some((part: JsonSchema) => accepts(by, part, value));
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  if ("const" in schema) return value === schema.const;
  switch (type) {
    case undefined:
      return true;
    case "integer":
      return Number.isSafeInteger(value);
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value) && acceptsItems(by, schema, value);
    case "object":
      return isObject(value) && acceptsProperties(by, schema, value);
    case "string":
      return typeof value === "string" && new RegExp(String(pattern ?? ""), "u").test(value);
    default:
      return typeof value === type;
  }
}

/** The few constraint keywords of random types. */
function isWithin(schema: JsonSchema, value: unknown): boolean {
  const limit = (word: string, otherwise: number) => (schema[word] ?? otherwise) as number;
  if (typeof value === "number") {
    return value >= limit("minimum", -Infinity) && !(value >= limit("exclusiveMaximum", Infinity));
  }
  if (Array.isArray(value)) return value.length <= limit("maxItems", Infinity);
  if (typeof value !== "string") return true;
  const { length } = [...value];
  return length >= limit("minLength", 0) && length <= limit("maxLength", Infinity);
}

function acceptsItems(by: Validation, schema: JsonSchema, values: readonly unknown[]): boolean {
  const first = (schema.prefixItems ?? []) as JsonSchema[];
  const minItems = (schema.minItems ?? 0) as number;
  const others = schema.items as JsonSchema | false;
  return (
    values.length >= minItems &&
    values.every((value, index) => accepts(by, first[index] ?? others, value))
  );
}

function acceptsProperties(
  by: Validation,
  schema: JsonSchema,
  value: Readonly<Record<string, unknown>>,
): boolean {
  const properties = schema.properties as Readonly<Record<string, JsonSchema>>;
  const required = (schema.required ?? []) as string[];
  const others = schema.additionalProperties as JsonSchema | false;
  const names = { type: "string", ...(schema.propertyNames as JsonSchema | undefined) };
  return (
    Object.keys(value).every((name) => accepts(by, names, name)) &&
    required.every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, part]) => {
      if (Object.hasOwn(properties, name)) return accepts(by, properties[name]!, part);
      return others === false ? by.isOpen : accepts(by, others, part);
    })
  );
}
