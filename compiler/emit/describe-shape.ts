// Describes shapes in words, for messages of generated checks.

import type { TextValueClass } from "../../argspec/typed/value-classes.js";
import type { TypeShape } from "../record/type-shape.js";
import { quote } from "./text.js";

const MAX_LISTED = 20;

/** Resolves a reference: clients do not know type names. */
interface Resolver {
  resolve(shape: TypeShape): TypeShape;
}

const CLASSES: Readonly<Record<TextValueClass, string>> = {
  Date: "a date and time",
  URL: "a URI with its scheme",
  Uint8Array: "bytes as base64",
  bigint: "an integer of at most 1000 digits, as a string",
};

/** Describes a shape in words: `an integer`, `one of "fast", "exact"`. */
export function describeShape(types: Resolver, shape: TypeShape): string {
  switch (shape.kind) {
    case "int":
      return "an integer";
    case "float":
      return "a number";
    case "str":
    case "bytes":
      return "a string";
    case "bool":
      return "true or false";
    case "null":
      return "null";
    case "json":
      return "a value";
    case "literal":
      return quote(shape.value);
    case "pattern":
      return `a string like ${shape.source}`;
    case "array":
      return "an array";
    case "tuple":
      return describeTuple(shape.required, shape.rest === null ? shape.items.length : null);
    case "object":
      return "an object";
    case "limited":
      if (shape.valueClass) return CLASSES[shape.valueClass];
      return describeShape(types, shape.base);
    case "ref":
      return describeShape(types, types.resolve(shape));
    case "union":
      return describeUnion(types, shape.members);
  }
}

function describeTuple(minItems: number, maxItems: number | null): string {
  if (maxItems === null) {
    return `an array of at least ${minItems}`;
  }
  return minItems === maxItems
    ? `an array of ${minItems}`
    : `an array of ${minItems} to ${maxItems}`;
}

function describeUnion(types: Resolver, members: readonly TypeShape[]): string {
  const words = [...new Set(members.map((member) => describeShape(types, member)))];
  const listed = words.slice(0, MAX_LISTED).join(", ");
  return words.length > 1 ? `one of ${listed}${words.length > MAX_LISTED ? ", …" : ""}` : listed;
}
