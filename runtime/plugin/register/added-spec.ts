// The contract of a function passed to `addPlugin` without a build: its name and parameters. Its
// result type is unknown.

import type { JsonSchema, ParamSpec, PluginSpec } from "../../../argspec/argspec.js";
import type { Wire } from "../../../argspec/wire.js";
import type { PluginEntry } from "../contract/plugin-entry.js";
import type { Parameter } from "./parameters.js";

type UserParameter = Extract<Parameter, { readonly kind: "user" }>;
type FormParameter = Extract<Parameter, { readonly kind: "form" }>;

/** The schemas that the compiler emits for these types. */
const SCHEMAS: Readonly<Record<Wire, JsonSchema>> = {
  int: { type: "integer", "x-svc-range": "safe" },
  float: { type: "number" },
  str: { type: "string" },
  bytes: { type: "string" },
  json: {},
};

/**
 * @param description empty if not given
 * @param reserved names of the arguments that the server provides
 */
export function addedSpec(
  { name, role, graph, readonly, description: { path } }: PluginEntry,
  description = "",
  parameters: readonly Parameter[] = [],
  reserved = parameters.filter(({ kind }) => kind !== "user").map((parameter) => parameter.name),
): PluginSpec {
  return {
    name,
    path,
    role,
    graph,
    readonly,
    summary: /^.*?[.!?](?=\s|$)|^.*/.exec(description)![0],
    description,
    deprecated: false,
    source: null,
    params: parameters.flatMap(paramSpec),
    reserved,
    result: { kind: "union", schema: {} },
    errors: [],
    examples: [],
  };
}

function paramSpec(parameter: Parameter): ParamSpec[] {
  if (parameter.kind === "user") return [userSpec(parameter)];
  return parameter.kind === "form" && parameter.name === "content" ? [bodySpec(parameter)] : [];
}

function userSpec({ name, wire, required, default: value }: UserParameter): ParamSpec {
  const type = wire ?? "str";
  const preset = wire === "bytes" ? null : asJson(value);
  return {
    name,
    in: "query",
    wire: type,
    required,
    ...(preset !== null && { default: preset }),
    schema: SCHEMAS[type],
  };
}

function bodySpec({ name, form }: FormParameter): ParamSpec {
  const wire = form === "str" || form === "json" ? form : "bytes";
  return { name, in: "body", wire, required: false, schema: SCHEMAS[wire] };
}

/** Returns null for values that JSON cannot represent. */
function asJson(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value) ?? "null");
  } catch {
    return null;
  }
}
