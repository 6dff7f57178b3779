// Shapes in words, for the messages of generated checks.

import type { TypeShape } from "../record/type-shape.js";
import { quote } from "./text.js";

const MAX_LISTED = 20;

/** Describes a shape in words: `an integer`, `one of "fast", "exact"`. */
export function describeShape(shape: TypeShape): string {
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
      return describeShape(shape.base);
    case "ref":
      return shape.name;
    case "union":
      return describeUnion(shape.members);
  }
}

function describeTuple(least: number, most: number | null): string {
  if (most === null) {
    return `an array of at least ${least}`;
  }
  return least === most ? `an array of ${least}` : `an array of ${least} to ${most}`;
}

function describeUnion(members: readonly TypeShape[]): string {
  const words = [...new Set(members.map(describeShape))];
  const listed = words.slice(0, MAX_LISTED).join(", ");
  return words.length > 1 ? `one of ${listed}${words.length > MAX_LISTED ? ", …" : ""}` : listed;
}
