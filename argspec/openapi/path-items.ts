// One operation of a service as a path item: GET unless it requires a body or is guarded, POST if
// it accepts a body. Both have the same query.

import type { ArgspecService, JsonSchema } from "../argspec.js";
import { isTyped } from "../error-kinds.js";
import { accessStatuses, operationSecurity } from "./access.js";
import { errorResponses, tupleSchema } from "./components.js";
import { mediaContent } from "./media-content.js";
import type { NamedOperation } from "./named-operations.js";
import { type ParameterOptions, queryParameters, requestBody } from "./parameters.js";
import { schemaObject, schemaReference } from "./schemas.js";
import { errorText, typedResponses } from "./typed-errors.js";

/** Cross-origin requests, links, images and forms cannot send this header field. */
const CHANGE_HEADER = {
  name: "X-SVC-Change",
  in: "header",
  description: "confirms that the change is intended",
  required: true,
  schema: { type: "string", const: "1" },
};

const PIECES =
  "Lines of JSON, or events where `Accept` asks for them: the schema is that of each. An event " +
  "`error` ends an incomplete stream.";

type Types = ReadonlyMap<string, string>;

export function pathItem(
  named: NamedOperation,
  options: ParameterOptions,
  service: ArgspecService,
): object {
  const { operation, id, postId } = named;
  const { content } = operation;
  const first = operationObject(named, id, options, service);
  if (content === null) return operation.isGuarded ? { post: first } : { get: first };
  const body = { requestBody: requestBody(content, operation, options) };
  if (content.required || operation.isGuarded) return { post: { ...first, ...body } };
  return { get: first, post: { ...first, operationId: postId, ...body } };
}

/** The schema of a sorted list with the types of its entries; null for other results. */
export function resultComponent({ operation }: NamedOperation, types: Types): JsonSchema | null {
  const { result } = operation;
  if (result.kind !== "response") return null;
  const entry = tupleSchema([
    schemaObject(result.sortkey, types),
    schemaObject(result.item, types),
  ]);
  const entries = {
    type: "object",
    properties: { entries: { type: "array", items: entry } },
    required: ["entries"],
  };
  return { allOf: [schemaReference("PluginResponse"), entries] };
}

function operationObject(
  named: NamedOperation,
  operationId: string,
  options: ParameterOptions,
  service: ArgspecService,
) {
  const { operation, isBuiltin, roles, tag } = named;
  const description = descriptionOf(named);
  const untyped = operation.errors.filter((error) => !isTyped(error));
  const errors = untyped.map(errorText).join("\n");
  const responses = {
    200: successResponse(named, options.types),
    ...errorResponses(errors, isBuiltin, !operation.readonly, accessStatuses(operation, service)),
    ...typedResponses(operation.errors.filter(isTyped), options.types),
  };
  return {
    operationId,
    ...(tag !== null && { tags: [tag] }),
    // OpenAPI tools group operations by tag.
    summary: operation.summary === "" ? operation.name : operation.summary,
    ...(description !== "" && { description }),
    ...(operation.deprecated && { deprecated: true }),
    ...operationSecurity(operation, service),
    parameters: [
      ...queryParameters(operation, options),
      ...(operation.isGuarded ? [CHANGE_HEADER] : []),
      ...dispatchParameters(named),
    ],
    responses,
    "x-svc-role": roles,
    ...(operation.graph !== null && { "x-svc-graph": operation.graph }),
  };
}

/**
 * Response to a client that accepts JSON. The document's description covers plain text: some
 * generators turn two media types into a union.
 */
function successResponse({ operation, resultName }: NamedOperation, types: Types): object {
  const { result, returns } = operation;
  const description = returns === "" ? "The plugin's result, in the envelope." : returns;
  if (result.kind === "stream") {
    const schema = schemaObject(result.schema, types);
    const description = returns === "" ? "The plugin's result as a stream." : returns;
    const content = { "application/x-ndjson": { schema }, "text/event-stream": { schema } };
    return { description: `${description}\n\n${PIECES}`, content };
  }
  if (result.kind === "http") {
    const description = returns === "" ? "The plugin's response, without the envelope." : returns;
    const value = result.schema && envelope(schemaObject(result.schema, types));
    return { description, content: mediaContent(result.mediaTypes, value ?? null) };
  }
  const isList = result.kind === "response";
  const response = isList ? schemaReference(resultName) : schemaObject(result.schema, types);
  return { description, content: { "application/json": { schema: envelope(response) } } };
}

function envelope(response: JsonSchema): JsonSchema {
  const answered = { type: "object", properties: { response }, required: ["response"] };
  return { allOf: [schemaReference("Envelope"), answered] };
}

/** Parameters that only dispatchers read. */
function dispatchParameters({ operation, roles }: NamedOperation): readonly object[] {
  const isDispatched = operation.result.kind === "response" || roles.some((r) => r !== "engine");
  if (!isDispatched) return [];
  return ["PartialTarget", "Key", "Explain"].map((name) => ({
    $ref: `#/components/parameters/${name}`,
  }));
}

function descriptionOf({ operation }: NamedOperation): string {
  const { summary, deprecation, examples } = operation;
  // Tools show the summary above the description, which starts with the same sentence.
  const isRepeated = operation.description.startsWith(summary);
  const description = operation.description.slice(isRepeated ? summary.length : 0).trim();
  const deprecated = deprecation === "" ? "" : `Deprecated: ${deprecation}`;
  const texts = examples.filter((example) => !("query" in example)).map(({ text }) => text);
  const code = texts.map((text) => `Example:\n\n${indented(text)}`);
  return [description, deprecated, ...code].filter((part) => part !== "").join("\n\n");
}

/** Returns code in Markdown, safe for any content. */
function indented(text: string): string {
  return text.replace(/^/gm, "    ");
}
