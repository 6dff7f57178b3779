// Refines a shape by a schema's own JSON Schema: constraints, whole numbers, descriptions. For the
// contract only, so that clients know what the schema rejects; servers run the schema itself. Words
// that do not fit the shape are dropped.

import { applicableLimits, LIMIT_WORDS, type LimitedKind } from "../../argspec/limits/limits.js";
import type { PropertyShape, TypeShape } from "../record/type-shape.js";

type Json = Readonly<Record<string, unknown>>;

/** Exceeds the depth of all types that the reader accepts. */
const MAX_DEPTH = 64;

/** @param schema JSON Schema 2020-12 from a library; anything else has no effect */
export function refineShape(shape: TypeShape, schema: unknown): TypeShape {
  return isJson(schema) ? refinePart(shape, schema, schema, 0) : shape;
}

/** Returns the schema's description, empty without one. */
export function describeRefinement(schema: unknown): string {
  return isJson(schema) && typeof schema.description === "string" ? schema.description : "";
}

function refinePart(shape: TypeShape, written: Json, root: Json, depth: number): TypeShape {
  const schema = resolved(written, root);
  if (schema === null || depth > MAX_DEPTH) return shape;
  const inner = (part: TypeShape, at: unknown) =>
    isJson(at) ? refinePart(part, at, root, depth + 1) : part;
  switch (shape.kind) {
    case "float":
      return limited(schema.type === "integer" ? { kind: "int" } : shape, "number", schema);
    case "int":
      return limited(shape, "number", schema);
    case "str":
      return limited(shape, "string", schema);
    case "array":
      return limited({ ...shape, items: inner(shape.items, schema.items) }, "array", schema);
    case "object":
      return {
        ...shape,
        properties: shape.properties.map((one) => refineProperty(one, schema, inner)),
      };
    case "union":
      return {
        ...shape,
        members: shape.members.map((one) => inner(one, memberFor(one, schema, root))),
      };
    default:
      return shape;
  }
}

function refineProperty(
  property: PropertyShape,
  { properties }: Json,
  inner: (part: TypeShape, at: unknown) => TypeShape,
): PropertyShape {
  const { name, shape } = property;
  const schema = isJson(properties) && Object.hasOwn(properties, name) ? properties[name] : null;
  const description =
    property.description === "" ? describeRefinement(schema) : property.description;
  return { ...property, description, shape: inner(shape, schema) };
}

const TYPES: Readonly<Record<string, readonly string[]>> = {
  float: ["number", "integer"],
  int: ["integer", "number"],
  str: ["string"],
  array: ["array"],
  object: ["object"],
};

/** Returns the alternative for a member of a union; null unless it is unique. */
function memberFor(member: TypeShape, schema: Json, root: Json): Json | null {
  const alternatives: unknown = schema.anyOf ?? [schema];
  if (!Array.isArray(alternatives)) return null;
  const types = TYPES[member.kind] ?? [];
  const found: Json[] = [];
  for (const one of alternatives as readonly unknown[]) {
    const alternative = isJson(one) ? resolved(one, root) : null;
    const words: readonly unknown[] = [alternative?.type].flat();
    if (alternative !== null && words.some((word) => types.includes(word as string)))
      found.push(alternative);
  }
  return found.length === 1 ? found[0]! : null;
}

/** The range of integers in zod equals that of `int`. */
const IMPLIED: Readonly<Record<string, number>> = {
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
};

function limited(base: TypeShape, kind: LimitedKind, schema: Json): TypeShape {
  const { pattern, ...others } = applicableLimits(schema);
  // Libraries add the pattern of a format, which would repeat it.
  const limits =
    others.format === undefined && pattern !== undefined ? { ...others, pattern } : others;
  const words = Object.entries(limits).filter(
    ([word, limit]) =>
      LIMIT_WORDS[word as keyof typeof LIMIT_WORDS] === kind && IMPLIED[word] !== limit,
  );
  return words.length === 0 ? base : { kind: "limited", base, limits: Object.fromEntries(words) };
}

/** Resolves a reference within the schema; null if it leads nowhere. */
function resolved(schema: Json, root: Json, depth = 0): Json | null {
  const { $ref } = schema;
  if (typeof $ref !== "string") return schema;
  const name = /^#\/\$defs\/([^/]+)$/.exec($ref)?.[1];
  const { $defs } = root;
  const found = name !== undefined && isJson($defs) && Object.hasOwn($defs, name) && $defs[name];
  return isJson(found) && depth < MAX_DEPTH ? resolved(found, root, depth + 1) : null;
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
