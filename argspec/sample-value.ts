// A value that a schema admits, as small as can be: for the line that says how to try a plugin.

import type { Argspec, JsonSchema } from "./argspec.js";

const MAX_DEPTH = 8;
const BY_TYPE: Readonly<Record<string, unknown>> = {
  integer: 1,
  number: 1.5,
  string: "text",
  boolean: true,
  null: null,
};

export function sampleValue(schema: JsonSchema, $defs: Argspec["$defs"], depth = 0): unknown {
  const inner = (part: unknown) => sampleValue(part as JsonSchema, $defs, depth + 1);
  if (depth > MAX_DEPTH) return null;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (typeof schema.$ref === "string") return inner($defs[schema.$ref.slice("#/$defs/".length)]!);
  if (Array.isArray(schema.anyOf)) return inner(schema.anyOf[0]);
  if (schema.type === "array") {
    const items = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
    return items.slice(0, Number(schema.minItems ?? 0)).map(inner);
  }
  if (schema.type === "object") {
    const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
    const required = (schema.required ?? []) as readonly string[];
    return Object.fromEntries(required.map((name) => [name, inner(properties[name])]));
  }
  const type = String(schema.type);
  return Object.hasOwn(BY_TYPE, type) ? BY_TYPE[type] : 1;
}
