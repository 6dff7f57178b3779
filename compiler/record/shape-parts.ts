// Visits all shapes within a shape, including those of named types.

import type { TypeShape } from "./type-shape.js";

/**
 * Returns the shape and all shapes within it, each named type once.
 * @param resolveType returns the shape of a named type
 */
export function listShapeParts(
  root: TypeShape,
  resolveType: (name: string) => TypeShape,
): readonly TypeShape[] {
  const parts: TypeShape[] = [];
  const seen = new Set<string>();
  const pending = [root];
  for (let shape = pending.pop(); shape !== undefined; shape = pending.pop()) {
    parts.push(shape);
    if (shape.kind === "ref") {
      if (!seen.has(shape.name)) pending.push(resolveType(shape.name));
      seen.add(shape.name);
    } else pending.push(...listInnerShapes(shape));
  }
  return parts;
}

function listInnerShapes(shape: TypeShape): readonly TypeShape[] {
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
