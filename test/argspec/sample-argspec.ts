// Short constructors of argspecs for tests.

import type { Argspec, JsonSchema, ParamSpec, PluginSpec } from "../../argspec/argspec.js";

export const STRING: JsonSchema = { type: "string" };
export const INTEGER: JsonSchema = { type: "integer", "x-svc-range": "safe" };

export function makeArgspec(
  plugins: readonly PluginSpec[],
  $defs: Argspec["$defs"] = {},
  name: string | null = "shop",
): Argspec {
  const service = { name, prefix: null };
  return { argspec: 1, service, hash: "ab".repeat(32), plugins, $defs };
}

export function plugin(name: string, overrides: Partial<PluginSpec> = {}): PluginSpec {
  return {
    name,
    path: `/svc/plugin/${name}`,
    role: "engine",
    graph: null,
    readonly: false,
    summary: "",
    description: "",
    deprecated: false,
    source: null,
    params: [],
    reserved: [],
    result: { kind: "value", schema: STRING },
    errors: [],
    examples: [],
    ...overrides,
  };
}

export function param(name: string, overrides: Partial<ParamSpec> = {}): ParamSpec {
  return { name, in: "query", wire: "str", required: true, schema: STRING, ...overrides };
}

export function optional(name: string, overrides: Partial<ParamSpec> = {}): ParamSpec {
  return param(name, { required: false, ...overrides });
}

export function object(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = Object.keys(properties),
  additionalProperties: JsonSchema | false = false,
): JsonSchema {
  return { type: "object", properties, required, additionalProperties };
}

export function list(items: JsonSchema): JsonSchema {
  return { type: "array", items };
}

/** @param rest null if nothing may follow */
export function tuple(
  prefixItems: readonly JsonSchema[],
  minItems = prefixItems.length,
  rest: JsonSchema | null = null,
): JsonSchema {
  return { type: "array", prefixItems, minItems, items: rest ?? false };
}

export function ref(name: string): JsonSchema {
  return { $ref: `#/$defs/${name}` };
}
