// Decides whether every number in a result has a position typed as a number, where NaN and infinite
// numbers are errors. A position without a type can hold anything.

import { listShapeParts } from "../record/shape-parts.js";
import type { TypeShape, TypeTable } from "../record/type-shape.js";

export function isNumeric(shape: TypeShape, types: TypeTable): boolean {
  const parts = listShapeParts(shape, (name) => types[name]!);
  return parts.some(isNumber) && !parts.some(({ kind }) => kind === "json");
}

function isNumber(shape: TypeShape): boolean {
  if (shape.kind === "literal") return typeof shape.value === "number";
  return shape.kind === "int" || shape.kind === "float";
}
