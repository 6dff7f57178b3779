// Result types of operators. `int`, `real` and `num` are numbers that are never null.

import type { StaticType } from "./functions/row.js";

export function isNumberType(type: StaticType): boolean {
  return type === "int" || type === "real" || type === "num";
}

/** Returns whether a node computed as a real may be an int, whose zero has no sign. */
export function isUnsignedZero({ op, type }: { readonly op: string; readonly type: StaticType }) {
  return type === "num" && op !== "arcAttribute";
}

/** Returns the common type of two values. */
export function joinTypes(a: StaticType, b: StaticType): StaticType {
  if (a === b) return a;
  return isNumberType(a) && isNumberType(b) ? "num" : "any";
}

export function unaryType(operator: string, type: StaticType): StaticType {
  if (operator === "!") return "int";
  if (operator === "+") return type;
  if (operator === "~") return type === "int" ? "int" : "any";
  return isNumberType(type) ? type : "any";
}

const TRUTHS = new Set(["==", "!=", "<", "<=", ">", ">="]);
const BITWISE = new Set(["<<", ">>", "&", "|", "^"]);

export function binaryType(operator: string, a: StaticType, b: StaticType): StaticType {
  if (TRUTHS.has(operator)) return "int";
  const areNumbers = isNumberType(a) && isNumberType(b);
  const areInts = a === "int" && b === "int";
  if (operator === "&&") return isNumberType(b) ? joinTypes("int", b) : "any";
  if (operator === "||") return joinTypes(a, b);
  if (operator === "+" && a === "text") return "text";
  if (BITWISE.has(operator)) return areInts ? "int" : "any";
  if (!areNumbers) return "any";
  if (operator === "/") return "real";
  if (areInts) return "int";
  return a === "real" || b === "real" ? "real" : "num";
}
