// Decides whether every number in a result is at a position typed as a number: none may then be NaN
// or infinite. An open position may hold anything.

import type { TypeShape, TypeTable } from "../record/type-shape.js";
import { listShapeParts } from "./shape-parts.js";

export function isNumeric(shape: TypeShape, types: TypeTable): boolean {
  const parts = listShapeParts(shape, types);
  return parts.some(isNumber) && !parts.some(({ kind }) => kind === "json");
}

function isNumber(shape: TypeShape): boolean {
  if (shape.kind === "literal") return typeof shape.value === "number";
  return shape.kind === "int" || shape.kind === "float";
}
