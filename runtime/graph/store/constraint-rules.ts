// Rules of a constraint packed into one byte, as descriptors and log records contain them: bit 0
// unique, bit 1 required, then the number of the kind of value.

import { isFloatCell, kindOfCell, numberOfCell } from "./property-cells.js";
import { PropertyKind } from "./property-values.js";

/** Kinds of values that a constraint can demand; a boolean is stored as 0 or 1. */
export const VALUE_KINDS = [
  "number",
  "integer",
  "boolean",
  "string",
  "list",
  "map",
  "bytes",
  "object",
] as const;
export type ValueKind = (typeof VALUE_KINDS)[number];

const UNIQUE = 1;
const REQUIRED = 2;
const KIND_SHIFT = 2;
/** Highest valid byte of rules. */
const MAX_RULES = (VALUE_KINDS.length << KIND_SHIFT) | UNIQUE | REQUIRED;

const KINDS_OF_CELLS: { readonly [kind: number]: ValueKind } = {
  [PropertyKind.String]: "string",
  [PropertyKind.Bytes]: "bytes",
  [PropertyKind.Integers]: "list",
  [PropertyKind.Floats]: "list",
  [PropertyKind.Map]: "map",
  [PropertyKind.Opaque]: "object",
};

/** Rules as they are declared. */
export interface ConstraintRules {
  /** No two vertices of the type have the same value. */
  readonly unique?: boolean;
  /** Each vertex of the type has a value other than null. */
  readonly required?: boolean;
  /** Kind of all values. */
  readonly value?: ValueKind | undefined;
}

export function packRules({ unique, required, value }: ConstraintRules): number {
  const kind = value === undefined ? 0 : VALUE_KINDS.indexOf(value) + 1;
  return (unique === true ? UNIQUE : 0) | (required === true ? REQUIRED : 0) | (kind << KIND_SHIFT);
}

export function unpackRules(rules: number): ConstraintRules {
  const value = kindOfRules(rules);
  return {
    ...(isUnique(rules) && { unique: true }),
    ...(isRequired(rules) && { required: true }),
    ...(value !== undefined && { value }),
  };
}

/** Returns whether a byte is a combination of rules; 0, no rule, is one. */
export function areRules(rules: number): boolean {
  return rules >= 0 && rules <= MAX_RULES;
}

export function isUnique(rules: number): boolean {
  return (rules & UNIQUE) !== 0;
}

export function isRequired(rules: number): boolean {
  return (rules & REQUIRED) !== 0;
}

export function kindOfRules(rules: number): ValueKind | undefined {
  const number = rules >>> KIND_SHIFT;
  // A negative index would make each change of a constrained property slow.
  return number === 0 ? undefined : VALUE_KINDS[number - 1];
}

/** Returns whether a cell holds a value of a kind. Null and external values have none. */
export function isOfKind(kind: ValueKind, high: number, low: number): boolean {
  const stored = kindOfCell(high);
  const isNumber = stored === PropertyKind.Number || stored === PropertyKind.Float;
  if (!isNumber) return KINDS_OF_CELLS[stored] === kind;
  if (kind === "number") return true;
  if (isFloatCell(high)) return false;
  const number = numberOfCell(high, low);
  if (kind === "boolean") return number === 0 || number === 1;
  return kind === "integer" && Number.isInteger(number);
}

/** Returns the most specific kind of the value in a cell, for messages. */
export function describeCell(high: number, low: number): string {
  const stored = kindOfCell(high);
  if (stored === PropertyKind.External) return "stored on disk";
  if (stored !== PropertyKind.Number && stored !== PropertyKind.Float) {
    return KINDS_OF_CELLS[stored] ?? "null";
  }
  return isOfKind("integer", high, low) ? "integer" : "number";
}
