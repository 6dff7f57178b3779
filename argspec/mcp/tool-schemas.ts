// Input and output schemas of a tool, for models and programs. They use only the common subset of
// JSON Schema 2020-12 and draft 7, and only keywords that an argspec can contain.

import type { Argspec, JsonSchema, ParamSpec } from "../argspec.js";
import type { Operation } from "../operations.js";
import { reachableTypes } from "../select.js";

export type ObjectSchema = JsonSchema & { readonly type: "object" };

const INTEGER = { type: "integer" };
/** Wire types that queries carry as plain text. */
const QUERY_VALUE = { type: ["string", "number", "boolean"] };

/** Returns the schema of an object of all parameters by name, with the body as `content`. */
export function toolInputSchema(operation: Operation, $defs: Argspec["$defs"]): ObjectSchema {
  const { params, content, isOpen } = operation;
  const inputs = content === null ? params : [...params, content];
  const required = inputs.filter((param) => param.required).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(inputs.map((param) => [param.name, inputSchema(param)])),
    ...(required.length > 0 && { required }),
    additionalProperties: isOpen && QUERY_VALUE,
    ...definitions(
      $defs,
      inputs.map(({ schema }) => schema),
    ),
  };
}

/** Returns null unless the result is always an object, the only kind that tools can describe. */
export function outputSchema({ result }: Operation, $defs: Argspec["$defs"]): ObjectSchema | null {
  if (result.kind === "response") {
    const { sortkey, item } = result;
    return { ...responseSchema(sortkey, item), ...definitions($defs, [sortkey, item]) };
  }
  if (result.kind === "stream" || result.kind === "http") return null;
  if (!isObjectType(result.schema, $defs)) return null;
  return { ...toolSchema(result.schema), type: "object", ...definitions($defs, [result.schema]) };
}

/** Returns the schema of a result that is not always an object; null if it is not declared. */
export function plainResultSchema(
  { result }: Operation,
  $defs: Argspec["$defs"],
): JsonSchema | null {
  if (result.kind !== "value" && result.kind !== "stream") return null;
  const defs = definitions($defs, [result.schema]);
  const schema = toolSchema(result.schema);
  return result.kind === "value"
    ? { ...schema, ...defs }
    : { type: "array", items: schema, ...defs };
}

function inputSchema({ wire, schema, description, ...param }: ParamSpec): JsonSchema {
  const text = description !== undefined && { description };
  if (wire === "bytes") return { type: "string", contentEncoding: "base64", ...text };
  const preset = param.default !== undefined && { default: param.default };
  return { ...toolSchema(schema), ...preset, ...text };
}

/** Members of a PluginResponse that matter to callers. */
function responseSchema(sortkey: JsonSchema, item: JsonSchema): ObjectSchema {
  const entry = tuple({ prefixItems: [sortkey, item], minItems: 2, items: false });
  const entries = { description: "Keys with their items.", type: "array", items: entry };
  const hitcount = { description: "Number of entries without a limit.", ...INTEGER };
  const meta = { description: "Notes of the plugin about the entries." };
  return {
    type: "object",
    properties: { entries, hitcount, meta },
    required: ["entries", "hitcount"],
  };
}

function isObjectType({ type, $ref, anyOf }: JsonSchema, $defs: Argspec["$defs"]): boolean {
  if (typeof $ref === "string") return isObjectType($defs[typeName($ref)]!, $defs);
  if (Array.isArray(anyOf)) return anyOf.every((member) => isObjectType(member, $defs));
  return type === "object";
}

function typeName($ref: string): string {
  return $ref.slice("#/$defs/".length);
}

function definitions($defs: Argspec["$defs"], schemas: readonly JsonSchema[]): JsonSchema {
  const reached = Object.entries(reachableTypes($defs, schemas));
  if (reached.length === 0) return {};
  return { $defs: Object.fromEntries(reached.map(([name, type]) => [name, toolSchema(type)])) };
}

function toolSchema(schema: JsonSchema): JsonSchema {
  if (schema.type === "array" && ("prefixItems" in schema || schema.items === false)) {
    return tuple(schema);
  }
  const words = Object.entries(schema).flatMap(([word, value]): [string, unknown][] => {
    // Models do not need the integer ranges of other languages.
    if (word === "x-svc-range") return [];
    // Servers ignore additional keys, and a plugin may return more than it declares.
    if (word === "additionalProperties" && value === false) return [];
    if (word === "anyOf") return [[word, (value as readonly JsonSchema[]).map(toolSchema)]];
    if (word === "properties")
      return [[word, propertySchemas(value as Record<string, JsonSchema>)]];
    if (word === "items" || word === "additionalProperties") return [[word, nestedSchema(value)]];
    return [[word, value]];
  });
  return Object.fromEntries(words);
}

/** Draft 7 has no `prefixItems` and would apply `items` to all of them. */
function tuple({ prefixItems = [], minItems, items, description }: JsonSchema): JsonSchema {
  const first = (prefixItems as readonly JsonSchema[]).map(toolSchema);
  return {
    type: "array",
    ...(description !== undefined && { description }),
    ...(first.length > 0 && { prefixItems: first }),
    ...(minItems !== undefined && { minItems }),
    ...(items === false && { maxItems: first.length }),
  };
}

function nestedSchema(schema: unknown): unknown {
  return typeof schema === "boolean" ? schema : toolSchema(schema as JsonSchema);
}

function propertySchemas(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const entries = Object.entries(properties);
  return Object.fromEntries(entries.map(([name, schema]) => [name, toolSchema(schema)]));
}
