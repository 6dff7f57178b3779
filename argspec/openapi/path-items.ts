// One operation of a service as a path item: GET, and POST where a body is taken. The query is the
// same for both.

import type { JsonSchema } from "../argspec.js";
import { errorResponses, listOf } from "./components.js";
import type { NamedOperation } from "./named-operations.js";
import { type ParameterOptions, queryParameters, requestBody } from "./parameters.js";
import { schemaObject, schemaReference } from "./schemas.js";

type Types = ReadonlyMap<string, string>;

export function pathItem(named: NamedOperation, options: ParameterOptions): object {
  const { operation, id, postId } = named;
  const { content } = operation;
  const get = operationObject(named, id, options);
  if (content === null) return { get };
  const body = requestBody(content, operation, options);
  const post = { ...operationObject(named, postId, options), requestBody: body };
  return content.required ? { post } : { get, post };
}

/** The schema of a sorted list with the types of its entries; null for other results. */
export function resultComponent({ operation }: NamedOperation, types: Types): JsonSchema | null {
  const { result } = operation;
  if (result.kind !== "response") return null;
  const entry = listOf([schemaObject(result.sortkey, types), schemaObject(result.item, types)]);
  const entries = {
    type: "object",
    properties: { entries: { type: "array", items: entry } },
    required: ["entries"],
  };
  return { allOf: [schemaReference("PluginResponse"), entries] };
}

function operationObject(named: NamedOperation, operationId: string, options: ParameterOptions) {
  const { operation, isBuiltin, roles, tag } = named;
  const description = descriptionOf(named);
  const errors = operation.errors.map(errorText).join("\n");
  return {
    operationId,
    ...(tag !== null && { tags: [tag] }),
    ...(operation.summary !== "" && { summary: operation.summary }),
    ...(description !== "" && { description }),
    ...(operation.deprecated && { deprecated: true }),
    parameters: [...queryParameters(operation, options), ...dispatchParameters(named)],
    responses: { 200: answer(named, options.types), ...errorResponses(errors, isBuiltin) },
    "x-svc-role": roles,
    ...(operation.graph !== null && { "x-svc-graph": operation.graph }),
  };
}

/**
 * The answer to a client that accepts JSON. Those of plugins as plain text are left to the
 * description of the document: of two media types, some clients make a union of all answers.
 */
function answer({ operation, resultName }: NamedOperation, types: Types): object {
  const { result, returns } = operation;
  const description = returns === "" ? "What the plugin answers, in its envelope." : returns;
  const isList = result.kind === "response";
  const response = isList ? schemaReference(resultName) : schemaObject(result.schema, types);
  const answered = { type: "object", properties: { response }, required: ["response"] };
  const schema = { allOf: [schemaReference("Envelope"), answered] };
  return { description, content: { "application/json": { schema } } };
}

/** What only dispatchers heed, where the answer may come from back-ends. */
function dispatchParameters({ operation, roles }: NamedOperation): readonly object[] {
  const isDispatched = operation.result.kind === "response" || roles.some((r) => r !== "engine");
  if (!isDispatched) return [];
  return ["PartialTarget", "Explain"].map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

function descriptionOf({ operation }: NamedOperation): string {
  const { description, deprecation, examples } = operation;
  const deprecated = deprecation === "" ? "" : `Deprecated: ${deprecation}`;
  const texts = examples.filter((example) => !("query" in example)).map(({ text }) => text);
  const code = texts.map((text) => `Example:\n\n${indented(text)}`);
  return [description, deprecated, ...code].filter((part) => part !== "").join("\n\n");
}

function errorText({ exception, description }: { exception: string; description: string }): string {
  return description === "" ? `- \`${exception}\`` : `- \`${exception}\`: ${description}`;
}

/** Code in Markdown, whatever it contains. */
function indented(text: string): string {
  return text.replace(/^/gm, "    ");
}
