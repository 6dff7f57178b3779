// Comparisons by name: `{ gt: 5 }`, `{ between: [1, 9] }` stand for `[V_GT, 5]` and so on. Each
// object holds one comparison.

import { V_EQ, V_GT, V_GTE, V_LT, V_LTE, V_NEQ, V_NRANGE, V_RANGE } from "../../model/constants.js";
import { invalidArgument } from "../../model/invalid-argument.js";

const CODES = new Map<string, number>([
  ["gt", V_GT],
  ["gte", V_GTE],
  ["lt", V_LT],
  ["lte", V_LTE],
  ["eq", V_EQ],
  ["ne", V_NEQ],
  ["between", V_RANGE],
  ["outside", V_NRANGE],
]);

/** `V_` constant and operand, or a list of alternatives. */
export type NamedComparison =
  | { readonly name: string; readonly code: number; readonly value: unknown }
  | { readonly among: readonly unknown[] };

/**
 * Returns the comparison; null if the condition is not such an object.
 * @throws QueryError unknown or invalid comparison
 */
export function parseNamedComparison(condition: unknown): NamedComparison | null {
  if (typeof condition !== "object" || condition === null || Array.isArray(condition)) return null;
  const [entry, more] = Object.entries(condition);
  if (entry === undefined || more !== undefined) throw comparisonError(condition);
  const [name, value] = entry;
  const code = CODES.get(name);
  if (code !== undefined) return { name, code, value };
  if (name === "in" && Array.isArray(value)) return { among: value };
  throw comparisonError(condition);
}

function comparisonError(condition: object): Error {
  const names = `${[...CODES.keys()].join(", ")}, in`;
  const text = `invalid condition {${Object.keys(condition)}}: exactly one of ${names}`;
  return invalidArgument(text, condition, "{ gt: 5 }, { between: [1, 9] }, { in: [1, 2] }");
}
