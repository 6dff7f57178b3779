// Decides whether every number in a result is at a position typed as a number: none may then be NaN
// or infinite. An open position may hold anything.

import type { TypeShape, TypeTable } from "../record/type-shape.js";

export function isNumeric(shape: TypeShape, types: TypeTable): boolean {
  const parts = partsOf(shape, types);
  return parts.some(isNumber) && !parts.some(({ kind }) => kind === "json");
}

function isNumber(shape: TypeShape): boolean {
  if (shape.kind === "literal") return typeof shape.value === "number";
  return shape.kind === "int" || shape.kind === "float";
}

/** The shape and all within it, each named type once. */
function partsOf(whole: TypeShape, types: TypeTable): readonly TypeShape[] {
  const parts: TypeShape[] = [];
  const seen = new Set<string>();
  const rest = [whole];
  for (let shape = rest.pop(); shape !== undefined; shape = rest.pop()) {
    parts.push(shape);
    if (shape.kind === "ref") {
      if (!seen.has(shape.name)) rest.push(types[shape.name]!);
      seen.add(shape.name);
    } else rest.push(...innerOf(shape));
  }
  return parts;
}

function innerOf(shape: TypeShape): readonly TypeShape[] {
  switch (shape.kind) {
    case "array":
      return [shape.items];
    case "tuple":
      return [...shape.items, ...(shape.rest ? [shape.rest] : [])];
    case "object": {
      const inner = shape.properties.map((property) => property.shape);
      return shape.additional ? [...inner, shape.additional] : inner;
    }
    case "union":
      return shape.members;
    case "limited":
      return [shape.base];
    default:
      return [];
  }
}
