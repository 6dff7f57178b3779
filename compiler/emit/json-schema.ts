// Converts TypeShape to JSON Schema 2020-12. Named types become references into `$defs`.

import type { JsonSchema } from "../../argspec/argspec.js";
import type { NamedTypeShape, TypeShape } from "../record/type-shape.js";

type ObjectShape = Extract<TypeShape, { kind: "object" }>;
type TupleShape = Extract<TypeShape, { kind: "tuple" }>;
type LiteralShape = Extract<TypeShape, { kind: "literal" }>;

export function toJsonSchema(shape: NamedTypeShape): JsonSchema {
  const { description, deprecated } = shape;
  const texts = {
    ...(description !== undefined && { description }),
    ...(deprecated && { deprecated }),
  };
  return { ...schemaOf(shape), ...texts };
}

function schemaOf(shape: TypeShape): JsonSchema {
  switch (shape.kind) {
    case "int":
      // JavaScript numbers hold integers of up to 53 bits.
      return { type: "integer", "x-svc-range": "safe" };
    case "float":
      return { type: "number" };
    case "str":
    case "bytes":
      // Bytes are sent unchanged, and appear in JSON as UTF-8 text.
      return { type: "string" };
    case "bool":
      return { type: "boolean" };
    case "null":
      return { type: "null" };
    case "json":
      return {};
    case "literal":
      return { const: shape.value };
    case "pattern":
      return { type: "string", pattern: shape.source };
    case "array":
      return { type: "array", items: toJsonSchema(shape.items), ...classSchema(shape.valueClass) };
    case "tuple":
      return tupleSchema(shape);
    case "object":
      return objectSchema(shape);
    case "union":
      return unionSchema(shape.members);
    case "limited":
      return {
        ...toJsonSchema(shape.base),
        ...shape.limits,
        ...(shape.valueClass === "Uint8Array" && { contentEncoding: "base64" }),
        ...classSchema(shape.valueClass),
      };
    case "ref":
      return { $ref: `#/$defs/${shape.name}` };
  }
}

function tupleSchema(shape: TupleShape): JsonSchema {
  return {
    type: "array",
    // The standard requires at least one element.
    ...(shape.items.length > 0 && { prefixItems: shape.items.map(toJsonSchema) }),
    minItems: shape.required,
    items: shape.rest === null ? false : toJsonSchema(shape.rest),
  };
}

function objectSchema(shape: ObjectShape): JsonSchema {
  const properties = shape.properties.map((property): [string, JsonSchema] => {
    const { name, shape: type, description, deprecated } = property;
    const texts = { ...(description !== "" && { description }), ...(deprecated && { deprecated }) };
    return [name, { ...toJsonSchema(type), ...texts }];
  });
  const required = shape.properties.filter((property) => !property.optional);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required: required.map((property) => property.name) }),
    // The schema does not offer additional keys, because servers ignore them.
    additionalProperties: shape.additional === null ? false : toJsonSchema(shape.additional),
    ...keySchema(shape),
    ...classSchema(shape.valueClass),
    ...(shape.hasNumberKeys && { "x-svc-keys": "number" }),
  };
}

/** Clients convert values to this class. */
function classSchema(name: string | undefined): JsonSchema {
  return name === undefined ? {} : { "x-svc-type": name };
}

function keySchema(shape: ObjectShape): JsonSchema {
  const { keys, keyLimits } = shape;
  if (keys === undefined && keyLimits === undefined) return {};
  const pattern = keys !== undefined && { pattern: keyPattern(shape) };
  return { propertyNames: { ...pattern, ...keyLimits } };
}

/** `propertyNames` applies to all keys, including those of known properties. */
function keyPattern({ properties, keys = "" }: ObjectShape): string {
  const names = properties.map(({ name }) => `^${name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}$`);
  return [keys, ...names].join("|");
}

function unionSchema(members: readonly TypeShape[]): JsonSchema {
  const literals = members.filter((member): member is LiteralShape => member.kind === "literal");
  if (literals.length === members.length) {
    return { enum: literals.map((literal) => literal.value) };
  }
  // `str` and `bytes` have the same schema.
  const schemas = new Map(
    members.map(toJsonSchema).map((schema) => [JSON.stringify(schema), schema]),
  );
  const [only, ...others] = schemas.values();
  return others.length === 0 ? only! : { anyOf: [only!, ...others] };
}
