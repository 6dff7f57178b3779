// Checks whether a value known at build time fits a scalar shape. At run time, generated code
// checks values (`emit/check-functions.ts`).

import type { TypeShape } from "./type-shape.js";

/** Returns whether a value fits a scalar shape; false for other shapes. */
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

/** Returns whether a value is an object and not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
