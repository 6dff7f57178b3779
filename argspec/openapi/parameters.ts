// Request inputs: query parameters and bodies, with the values of the author's examples. The wire
// type of a parameter is stored beside its schema as `x-svc-wire`.

import type { JsonSchema, ParamSpec } from "../argspec.js";
import type { Operation } from "../operations.js";
import { schemaObject } from "./schemas.js";

export interface ParameterOptions {
  /** Component of each name in `$defs`. */
  readonly types: ReadonlyMap<string, string>;
  /**
   * How `json` values are described: as content, which is exact, or as strings, which all tools
   * support.
   */
  readonly jsonParams: "content" | "string";
}

const MEDIA_TYPES = {
  bytes: "application/octet-stream",
  str: "text/plain",
  json: "application/json",
};
/**
 * Describes further parameters, for plugins whose parameters are defined elsewhere. No parameter of
 * a signature can have such a name.
 */
const OPEN_PARAMETERS = {
  name: "other-parameters",
  in: "query",
  style: "form",
  explode: true,
  schema: { type: "object", additionalProperties: { type: "string" } },
};

/** Returns the parameter objects of the query, in the order of the signature. */
export function queryParameters(
  { params, examples, isOpen }: Operation,
  options: ParameterOptions,
): readonly object[] {
  const objects = params.map((param) => ({
    name: param.name,
    in: "query",
    ...(param.description !== undefined && { description: param.description }),
    required: param.required,
    ...queryContent(param, examplesOf(param, examples), options),
    "x-svc-wire": param.wire,
  }));
  return isOpen ? [...objects, OPEN_PARAMETERS] : objects;
}

const BINARY = { type: "string", format: "binary" };

/** Returns the schema of a form with files. */
function formSchema(schema: JsonSchema): JsonSchema {
  const files = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const properties = files.map(([name, file]) => [name, { ...file, ...BINARY }]);
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** Returns the request body object of a body parameter. */
export function requestBody(
  content: ParamSpec,
  { examples }: Operation,
  { types }: ParameterOptions,
): object {
  const { wire, description, required, schema, form: isForm } = content;
  const media = wire === "bytes" || wire === "str" ? wire : "json";
  // JSON Schema cannot describe raw bytes; generators accept this format instead.
  const raw = media === "bytes" ? BINARY : null;
  const form = isForm ? formSchema(schema) : raw;
  return {
    ...(description !== undefined && { description }),
    required,
    content: {
      [isForm ? "multipart/form-data" : MEDIA_TYPES[media]]: {
        schema: form ?? schemaObject(schema, types),
        ...examplesWord(media === "bytes" ? [] : examplesOf(content, examples)),
      },
    },
    "x-svc-wire": wire,
  };
}

function queryContent(
  { wire, schema, ...param }: ParamSpec,
  examples: readonly NamedExample[],
  { types, jsonParams }: ParameterOptions,
): object {
  const declared = schemaObject(schema, types);
  const hasDefault = param.default !== undefined;
  const withDefault = (form: JsonSchema, value: unknown) =>
    hasDefault ? { ...form, default: value } : form;
  if (wire !== "json") {
    return { schema: withDefault(declared, param.default), ...examplesWord(examples) };
  }
  if (jsonParams === "content") {
    const media = { schema: withDefault(declared, param.default), ...examplesWord(examples) };
    return { content: { "application/json": media } };
  }
  const text = { type: "string", contentMediaType: "application/json", contentSchema: declared };
  const texts = examples.map(([name, { value, summary }]): NamedExample => {
    return [name, { value: JSON.stringify(value), summary }];
  });
  return { schema: withDefault(text, JSON.stringify(param.default)), ...examplesWord(texts) };
}

type NamedExample = readonly [
  name: string,
  example: { readonly summary: string; readonly value: unknown },
];

/** Returns a parameter's values in the author's examples; values of one call share a name. */
function examplesOf({ name }: ParamSpec, examples: Operation["examples"]): readonly NamedExample[] {
  const calls = examples.flatMap((example) => ("query" in example ? [example] : []));
  return calls.flatMap(({ query, text }, index) => {
    const example = { summary: text, value: query[name] };
    return Object.hasOwn(query, name) ? [[`example${index + 1}`, example] as const] : [];
  });
}

function examplesWord(examples: readonly NamedExample[]): object {
  return examples.length === 0 ? {} : { examples: Object.fromEntries(examples) };
}
