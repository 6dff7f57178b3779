// A group of operations that a client offers together, with their TypeScript names and types: the
// plugins of a service, the built-in ones, or the status services.

import type { Argspec, ParamSpec } from "../argspec.js";
import { type ErrorKindSpec, listErrorKinds } from "../error-kinds.js";
import { nameTable } from "../name-table.js";
import { isPage, type Operation } from "../operations.js";
import { type GroupPlans, planOperations } from "../typed/operation-plans.js";
import { schemaViews } from "../typed/schema-view.js";
import type { TypeRequest } from "./declare-types.js";
import { commentText, docComment, limitTags, schemaComment } from "./doc-comment.js";
import {
  ANY_JSON,
  buildObject,
  type LoweredSchema,
  SchemaLowering,
  tuple,
} from "./lower-schema.js";

export interface Section {
  readonly methods: readonly Method[];
  /** Named types, then parameters and results by operation. */
  readonly types: readonly TypeRequest[];
  readonly errors: readonly TypedKind[];
  readonly plans: GroupPlans;
}

/** An error with a name. */
export interface TypedKind extends ErrorKindSpec {
  /** Type names. */
  readonly type: string;
  readonly detailsType: string | null;
}

export interface Method {
  readonly operation: Operation;
  readonly name: string;
  /** Kind of call: result in an envelope, pages, stream, or response without an envelope. */
  readonly form: "value" | "page" | "stream" | "http";
  /** The variant that returns the whole envelope; null: none. */
  readonly rawName: string | null;
  /** Type names. */
  readonly params: string;
  readonly result: string;
  /** True if all parameters are optional. */
  readonly isParamsOptional: boolean;
}

export function buildSection($defs: Argspec["$defs"], operations: readonly Operation[]): Section {
  const names = nameTable({ $defs }, operations);
  const lowering = new SchemaLowering(names.types);
  const named = Object.entries($defs).map(([name, schema]): TypeRequest => {
    const comment = docComment([schemaComment(schema)]);
    return { name: names.types.get(name)!, schema: lowering.lower(schema), comment };
  });
  const methods = operations.map((operation): Method => {
    const name = names.methods.get(operation.name)!;
    const { kind } = operation.result;
    const value = isPage(operation.result) ? "page" : "value";
    const form = kind === "stream" || kind === "http" ? kind : value;
    const hasEnvelope = form === "value" || form === "page";
    return {
      operation,
      name,
      form,
      rawName: operation.isText || !hasEnvelope ? null : `${name}Raw`,
      params: names.params.get(operation.name)!,
      result: names.results.get(operation.name)!,
      isParamsOptional: !inputsOf(operation).some(({ required }) => required),
    };
  });
  const methodTypes = methods.flatMap(
    ({ operation, params, result, name, form }): TypeRequest[] => [
      {
        name: params,
        schema: paramsSchema(operation, lowering),
        comment: `/** Parameters of \`${name}\`. */\n`,
      },
      resultRequest(
        result,
        operation,
        lowering,
        `/** ${form === "stream" ? "A piece of what" : "What"} \`${name}\` answers. */\n`,
      ),
    ],
  );
  const errors = listErrorKinds(operations).map((error): TypedKind => {
    const details = error.details === null ? null : names.details.get(error.kind)!;
    return { ...error, type: names.errors.get(error.kind)!, detailsType: details };
  });
  const detailTypes = errors.flatMap(({ kind, details, detailsType }): TypeRequest[] => {
    if (details === null || detailsType === null) return [];
    const comment = `/** Details of a \`${kind}\`. */\n`;
    return [{ name: detailsType, schema: lowering.lower(details), comment }];
  });
  const plans = planOperations(operations, schemaViews($defs));
  return { methods, types: [...named, ...methodTypes, ...detailTypes], errors, plans };
}

/** Parameters, including the body. */
function inputsOf({ params, content }: Operation): readonly ParamSpec[] {
  return content === null ? params : [...params, content];
}

function paramsSchema(operation: Operation, lowering: SchemaLowering): LoweredSchema {
  const inputs = inputsOf(operation);
  const members = inputs.map((param): [string, LoweredSchema] => {
    const description = docLines(param);
    const schema = inputSchema(param, lowering);
    return [param.name, { ...schema, ...(description !== "" && { description }) }];
  });
  const required = inputs.filter((param) => param.required).map(({ name }) => name);
  return buildObject(members, required, operation.isOpen);
}

/** Types of `content` besides strings, such as Blob, File and stream. */
const BYTES_OF_BODY = [
  ...["ArrayBuffer", "ArrayBufferView", "AsyncIterable<Uint8Array>"],
  ...["{ arrayBuffer(): Promise<ArrayBuffer> }", "{ getReader(): unknown }"],
].join(" | ");

/** A file of a form. */
const FILE = { tsType: "Blob | ArrayBuffer | ArrayBufferView" };

function formSchema({ properties = {}, required = [] }: ParamSpec["schema"]): LoweredSchema {
  const names = Object.keys(properties as object);
  const members = names.map((name): [string, LoweredSchema] => [name, FILE]);
  return buildObject(members, required as readonly string[], false);
}

function inputSchema(param: ParamSpec, lowering: SchemaLowering) {
  const { in: location, wire, schema, required } = param;
  if (param.form) return formSchema(schema);
  const lowered = lowering.lower(schema);
  if (lowered === ANY_JSON) return { ...ANY_JSON };
  const members = [
    ...(wire === "bytes" ? [{ tsType: location === "body" ? BYTES_OF_BODY : "Uint8Array" }] : []),
    lowered,
    // Undefined members are omitted from the query, so that callers can pass them on.
    ...(required ? [] : [{ tsType: "undefined" }]),
  ];
  return members.length === 1 ? lowered : { anyOf: members };
}

function docLines(param: ParamSpec): string {
  const preset = param.default === undefined ? "" : JSON.stringify(param.default);
  const parts = [
    commentText(param.description ?? ""),
    ...limitTags(param.schema),
    preset && `@defaultValue ${commentText(preset)}`,
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function resultRequest(
  name: string,
  { result, isText }: Operation,
  lowering: SchemaLowering,
  comment: string,
): TypeRequest {
  if (isText) return { name, schema: { type: "string" }, comment };
  if (result.kind === "http") {
    return { name, schema: httpResponseSchema(result, lowering), comment };
  }
  if (result.kind !== "response") return { name, schema: lowering.lower(result.schema), comment };
  const parts = [result.sortkey, result.item].map((schema) => lowering.lower(schema));
  return { name, schema: tuple(parts, null), comment, generic: "PluginResponse" };
}

type HttpResult = Extract<Operation["result"], { kind: "http" }>;

function httpResponseSchema({ mediaTypes, schema }: HttpResult, lowering: SchemaLowering) {
  const types = mediaTypes.map(mediaTypeText).join(" | ");
  const response = { tsType: types === "" ? "HttpResponse" : `HttpResponse<${types}>` };
  return schema === undefined ? response : { anyOf: [response, lowering.lower(schema)] };
}

/** `image/*` becomes any string with that prefix. */
function mediaTypeText(type: string): string {
  return type.endsWith("/*") ? `\`${type.slice(0, -1)}\${string}\`` : JSON.stringify(type);
}
