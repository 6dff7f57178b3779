// Schemas of a contract as `PlanBuilder` sees them.

import type { JsonSchema } from "../argspec.js";
import type { View } from "./build-plans.js";
import { TEXT_VALUE_CLASSES } from "./value-classes.js";

const REFERENCE = "#/$defs/";

export function schemaViews(
  $defs: Readonly<Record<string, JsonSchema>>,
): (schema: JsonSchema) => View<JsonSchema> {
  return (schema) => schemaView(schema, $defs);
}

function schemaView(
  schema: JsonSchema,
  $defs: Readonly<Record<string, JsonSchema>>,
): View<JsonSchema> {
  const { $ref, anyOf, enum: values, type } = schema;
  if (typeof $ref === "string") {
    const name = $ref.slice(REFERENCE.length);
    return Object.hasOwn($defs, name)
      ? { kind: "ref", name, type: $defs[name]! }
      : { kind: "plain" };
  }
  if (Array.isArray(anyOf)) return { kind: "union", members: anyOf };
  if (Array.isArray(values)) {
    return { kind: "union", members: values.map((value) => ({ const: value })) };
  }
  if ("const" in schema) return { kind: "literal", value: schema.const };
  if (type === "null") return { kind: "null" };
  if (type === "string") return textView(schema);
  if (type === "array") return listView(schema);
  return type === "object" ? fieldsView(schema) : { kind: "plain" };
}

function textView({ "x-svc-type": to }: JsonSchema): View<JsonSchema> {
  const valueClass = TEXT_VALUE_CLASSES.find((name) => name === to);
  return valueClass === undefined ? { kind: "text" } : { kind: "text", to: valueClass };
}

function listView({ prefixItems, items, "x-svc-type": to }: JsonSchema): View<JsonSchema> {
  return {
    kind: "list",
    first: Array.isArray(prefixItems) ? prefixItems : [],
    items: partOf(items),
    to: to === "Set" || to === "Map" ? to : undefined,
  };
}

function fieldsView(schema: JsonSchema): View<JsonSchema> {
  const { properties = {}, additionalProperties, "x-svc-type": to } = schema;
  return {
    kind: "fields",
    properties: Object.entries(properties as Readonly<Record<string, JsonSchema>>),
    others: partOf(additionalProperties),
    to: to === "Map" ? to : undefined,
    numbers: schema["x-svc-keys"] === "number" ? true : undefined,
  };
}

function partOf(part: unknown): JsonSchema | null {
  return typeof part === "object" && part !== null ? (part as JsonSchema) : null;
}
