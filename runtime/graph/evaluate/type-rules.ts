// Result types of operators. `int`, `real` and `num` are numbers that are never null, and their
// ints are safe: the bounds of the operands prove that no result exceeds 2^53. Otherwise the type
// is `wide`: a real or an int of any size. Nodes of this type are computed as values.

import type { StaticType } from "./functions/row.js";

export function isNumberType(type: StaticType): boolean {
  return type === "int" || type === "real" || type === "num";
}

/** As `isNumberType`, but includes 64-bit ints. */
export function isNumericType(type: StaticType): boolean {
  return isNumberType(type) || type === "wide";
}

export const MAX_SAFE = Number.MAX_SAFE_INTEGER;

interface Bounded {
  readonly type: StaticType;
  readonly bound?: number;
}

/** Returns the largest absolute value of a node if it is an int. */
export function intBound({ type, bound }: Bounded): number {
  return bound ?? (isNumberType(type) ? MAX_SAFE : Number.POSITIVE_INFINITY);
}

/** As `intBound`, for the result of an operator. */
export function binaryBound(operator: string, a: Bounded, b: Bounded): number {
  const [x, y] = [intBound(a), intBound(b)];
  switch (operator) {
    case "+":
    case "-":
      return x + y;
    case "*":
      return x * y;
    case "%":
    case ">>":
      return x;
    case "&&":
      return Math.max(y, 1);
    case "||":
      return Math.max(x, y);
    case "&":
    case "|":
    case "^":
      return 2 * Math.max(x, y);
    case "<<":
    case "**":
      return Number.POSITIVE_INFINITY;
    default:
      return 1;
  }
}

/** Widens a type whose ints may exceed the safe range. */
export function typeWithin(type: StaticType, bound: number): StaticType {
  return bound > MAX_SAFE && (type === "int" || type === "num") ? "wide" : type;
}

/** Returns whether a node computed as a real may be an int, whose zero has no sign. */
export function isUnsignedZero({ op, type }: { readonly op: string; readonly type: StaticType }) {
  return (type === "num" && op !== "arcAttribute") || type === "wide";
}

/** Returns the common type of two values. */
export function joinTypes(a: StaticType, b: StaticType): StaticType {
  if (a === b) return a;
  if (!isNumericType(a) || !isNumericType(b)) return "any";
  return a === "wide" || b === "wide" ? "wide" : "num";
}

export function unaryType(operator: string, type: StaticType): StaticType {
  if (operator === "!") return "int";
  if (operator === "+") return type;
  if (operator === "~") return type === "int" ? "int" : "any";
  return isNumericType(type) ? type : "any";
}

const TRUTHS = new Set(["==", "!=", "<", "<=", ">", ">="]);
const BITWISE = new Set(["<<", ">>", "&", "|", "^"]);

export function binaryType(operator: string, a: StaticType, b: StaticType): StaticType {
  if (TRUTHS.has(operator)) return "int";
  const areNumbers = isNumericType(a) && isNumericType(b);
  const areInts = a === "int" && b === "int";
  if (operator === "&&") return isNumericType(b) ? joinTypes("int", b) : "any";
  if (operator === "||") return joinTypes(a, b);
  if (operator === "+" && a === "text") return "text";
  if (BITWISE.has(operator)) return areInts ? "int" : "any";
  if (!areNumbers) return "any";
  if (operator === "/") return "real";
  if (areInts) return "int";
  if (a === "real" || b === "real") return "real";
  return a === "wide" || b === "wide" ? "wide" : "num";
}
