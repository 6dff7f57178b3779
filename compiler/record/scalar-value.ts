// Decides whether a value known at build time fits a scalar shape. Values at run time are checked
// by generated code, see `emit/check-functions.ts`.

import type { TypeShape } from "./type-shape.js";

/** Returns whether a value fits a shape without parts; false for other shapes. */
export function isScalarValue(shape: TypeShape, value: unknown): boolean {
  switch (shape.kind) {
    case "json":
      return value !== undefined;
    case "int":
      return Number.isSafeInteger(value);
    case "float":
      return Number.isFinite(value);
    case "str":
    case "bytes":
      return typeof value === "string";
    case "bool":
      return typeof value === "boolean";
    case "null":
      return value === null;
    case "literal":
      return value === shape.value;
    case "pattern":
      return typeof value === "string" && new RegExp(shape.source, "s").test(value);
    default:
      return false;
  }
}

/** A JSON object that is not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
