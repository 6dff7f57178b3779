// Which values of classes Python clients have: no URLs, and sets and dictionaries of what Python
// can hash.

import type { JsonSchema } from "../argspec.js";
import type { View } from "../typed/build-plans.js";
import { schemaViews } from "../typed/schema-view.js";

type Definitions = Readonly<Record<string, JsonSchema>>;

export function pythonViews($defs: Definitions): (schema: JsonSchema) => View<JsonSchema> {
  const viewOf = schemaViews($defs);
  return (schema) => {
    const view = viewOf(schema);
    if (view.kind === "text" && view.to === "URL") return { kind: "text" };
    if (view.kind === "fields" && !view.numbers) return { ...view, to: undefined };
    if (view.kind !== "list" || view.to === undefined) return view;
    return isHashed(schema, $defs) ? view : { ...view, to: undefined };
  };
}

/** Returns whether the items of a set, or the keys of a map, can be hashed. */
export function isHashed({ "x-svc-type": to, items }: JsonSchema, $defs: Definitions): boolean {
  if (to === "Set") return isHashable(items, $defs);
  const { prefixItems } = (items ?? {}) as JsonSchema;
  return Array.isArray(prefixItems) && isHashable(prefixItems[0], $defs);
}

const SCALARS: ReadonlySet<unknown> = new Set(["boolean", "integer", "null", "number", "string"]);
const MAX_DEPTH = 16;

function isHashable(schema: unknown, $defs: Definitions, depth = 0): boolean {
  if (typeof schema !== "object" || schema === null || depth > MAX_DEPTH) return false;
  const { $ref, anyOf, enum: values, type, const: only } = schema as JsonSchema;
  if (typeof $ref === "string") {
    const name = $ref.slice("#/$defs/".length);
    return Object.hasOwn($defs, name) && isHashable($defs[name], $defs, depth + 1);
  }
  if (Array.isArray(anyOf)) return anyOf.every((member) => isHashable(member, $defs, depth + 1));
  return only !== undefined || Array.isArray(values) || SCALARS.has(type);
}
