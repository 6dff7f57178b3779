// Small contracts for comparisons.

import {
  ARGSPEC_VERSION,
  type Argspec,
  type JsonSchema,
  type ParamSpec,
  type PluginSpec,
} from "../../../argspec/argspec.js";
import { INTEGER, plugin } from "../sample-argspec.js";

export { INTEGER, STRING } from "../sample-argspec.js";
export const NUMBER: JsonSchema = { type: "number" };
export const NULL: JsonSchema = { type: "null" };

export interface Contract extends Partial<Omit<Argspec, "plugins">> {
  readonly plugins?: readonly Partial<PluginSpec>[];
}

/** As `svc build` would write it. */
export function makeArgspec({ plugins = [], ...others }: Contract): Argspec {
  const specs = plugins.map(makePlugin);
  const service = { name: "shop", prefix: null };
  return {
    argspec: ARGSPEC_VERSION,
    service,
    hash: "0".repeat(64),
    $defs: {},
    ...others,
    plugins: specs,
  };
}

function makePlugin(overrides: Partial<PluginSpec>): PluginSpec {
  return plugin(overrides.name ?? "search", {
    result: { kind: "value", schema: {} },
    ...overrides,
  });
}

/** One optional parameter, `limit: int`. */
export function param(parts: Partial<ParamSpec> = {}): ParamSpec {
  return { name: "limit", in: "query", wire: "int", required: false, schema: INTEGER, ...parts };
}

/** A closed object; names that end with `?` are optional. */
export function objectSchema(
  properties: Readonly<Record<string, JsonSchema>>,
  additional: JsonSchema | false = false,
): JsonSchema {
  const entries = Object.entries(properties);
  const required = entries.filter(([name]) => !name.endsWith("?")).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(
      entries.map(([name, schema]) => [name.replace(/\?$/, ""), schema]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: additional,
  };
}

export function arraySchema(items: JsonSchema): JsonSchema {
  return { type: "array", items };
}

export function tupleSchema(
  first: readonly JsonSchema[],
  required = first.length,
  rest: JsonSchema | false = false,
): JsonSchema {
  return {
    type: "array",
    ...(first.length > 0 && { prefixItems: first }),
    minItems: required,
    items: rest,
  };
}

export function anyOf(...members: readonly JsonSchema[]): JsonSchema {
  return { anyOf: members };
}

export function refTo(name: string): JsonSchema {
  return { $ref: `#/$defs/${name}` };
}
