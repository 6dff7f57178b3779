// Refines a shape with the JSON Schema of a schema: constraints, integers, descriptions. Only the
// contract contains the result, so that clients know the constraints; servers run the schema.
// Keywords that do not fit the shape are ignored.

import {
  applicableLimits,
  LIMIT_WORDS,
  type LimitedKind,
  type Limits,
} from "../../argspec/limits/limits.js";
import type { PropertyShape, TypeShape } from "../record/type-shape.js";

type Json = Readonly<Record<string, unknown>>;

/** Exceeds the depth of all types that the reader accepts. */
const MAX_DEPTH = 64;

/**
 * Refines a shape.
 * @param schema JSON Schema 2020-12 from a library; other values have no effect
 */
export function refineShape(shape: TypeShape, schema: unknown): TypeShape {
  return isJson(schema) ? refinePart(shape, schema, schema, 0) : shape;
}

/** Returns the description of a schema; empty if it has none. */
export function describeRefinement(schema: unknown): string {
  return isJson(schema) && typeof schema.description === "string" ? schema.description : "";
}

function refinePart(shape: TypeShape, unresolved: Json, root: Json, depth: number): TypeShape {
  const schema = resolveReference(unresolved, root);
  if (schema === null || depth > MAX_DEPTH) return shape;
  const inner = (part: TypeShape, at: unknown) =>
    isJson(at) ? refinePart(part, at, root, depth + 1) : part;
  switch (shape.kind) {
    case "float":
      return addLimits(schema.type === "integer" ? { kind: "int" } : shape, "number", schema);
    case "int":
      return addLimits(shape, "number", schema);
    case "str":
      return addLimits(shape, "string", schema);
    case "array":
      return addLimits({ ...shape, items: inner(shape.items, schema.items) }, "array", schema);
    case "tuple": {
      const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
      const items = shape.items.map((item, at) => inner(item, first[at]));
      return { ...shape, items, rest: shape.rest && inner(shape.rest, schema.items) };
    }
    case "object":
      return {
        ...shape,
        properties: shape.properties.map((property) => refineProperty(property, schema, inner)),
        additional: shape.additional && inner(shape.additional, schema.additionalProperties),
        ...(shape.additional !== null && refineKeys(schema)),
      };
    case "union":
      return {
        ...shape,
        members: shape.members.map((member) =>
          inner(member, findAlternative(member, schema, root)),
        ),
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

/** Returns the limits of the keys of a record, if there are any. */
function refineKeys({ propertyNames }: Json): { readonly keyLimits?: Limits } {
  if (!isJson(propertyNames)) return {};
  const keys = addLimits({ kind: "str" }, "string", propertyNames);
  return keys.kind === "limited" ? { keyLimits: keys.limits } : {};
}

const TYPES: Readonly<Record<string, readonly string[]>> = {
  float: ["number", "integer"],
  int: ["integer", "number"],
  str: ["string"],
  array: ["array"],
  object: ["object"],
};

/** Returns the alternative of a schema for a member of a union; null unless exactly one matches. */
function findAlternative(member: TypeShape, schema: Json, root: Json): Json | null {
  const alternatives: unknown = schema.anyOf ?? schema.oneOf ?? [schema];
  if (!Array.isArray(alternatives)) return null;
  const types = TYPES[member.kind] ?? [];
  const matches: Json[] = [];
  for (const candidate of alternatives as readonly unknown[]) {
    const alternative = isJson(candidate) ? resolveReference(candidate, root) : null;
    const words: readonly unknown[] = [alternative?.type].flat();
    const isOfType = words.some((word) => types.includes(word as string));
    if (alternative !== null && isOfType && fitsLiterals(member, alternative))
      matches.push(alternative);
  }
  return matches.length === 1 ? matches[0]! : null;
}

/** Returns whether an alternative has the literals of an object, which tell members apart. */
function fitsLiterals(member: TypeShape, { properties }: Json): boolean {
  if (member.kind !== "object" || !isJson(properties)) return true;
  return member.properties.every(({ name, shape }) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : null;
    if (shape.kind !== "literal") return true;
    // An enumeration of one value has the same type.
    const values: readonly unknown[] = isJson(schema) ? [schema.enum ?? schema.const].flat() : [];
    return values.includes(shape.value);
  });
}

/** Limits that `int` implies, and zod states for integers. */
const IMPLIED: Readonly<Record<string, number>> = {
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
};

function addLimits(base: TypeShape, kind: LimitedKind, schema: Json): TypeShape {
  const { pattern, ...others } = applicableLimits(schema);
  // Libraries add a pattern for each format, which would be redundant.
  const limits =
    others.format === undefined && pattern !== undefined ? { ...others, pattern } : others;
  const words = Object.entries(limits).filter(
    ([word, limit]) =>
      LIMIT_WORDS[word as keyof typeof LIMIT_WORDS] === kind && IMPLIED[word] !== limit,
  );
  return words.length === 0 ? base : { kind: "limited", base, limits: Object.fromEntries(words) };
}

/** Resolves references within the schema; returns null if one is invalid. */
function resolveReference(schema: Json, root: Json, depth = 0): Json | null {
  const { $ref } = schema;
  if (typeof $ref !== "string") return schema;
  const name = /^#\/\$defs\/([^/]+)$/.exec($ref)?.[1];
  const { $defs } = root;
  const found = name !== undefined && isJson($defs) && Object.hasOwn($defs, name) && $defs[name];
  return isJson(found) && depth < MAX_DEPTH ? resolveReference(found, root, depth + 1) : null;
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
