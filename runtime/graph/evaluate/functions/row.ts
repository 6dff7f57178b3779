// Table row of one function of the language, read by parser, types, closures, loops, documentation
// and completion.

import type { Context } from "../context.js";
import { wrapInt } from "../ints.js";
import { asNumber, boxedReal, isNumeric, isReal, type Value } from "../values.js";

export type StaticType =
  | "int"
  | "real"
  | "num"
  | "text"
  | "bits"
  | "pair"
  | "vertex"
  | "vector"
  /** A real or an int of any size; see `type-rules.ts`. */
  | "wide"
  | "null"
  | "any";

/** Capability that a function requires at its site. */
export type Need = "head" | "collect" | "commit" | "cull" | "synthetic";

export interface FunctionRow {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Type of the result; `kept`: the type of the numeric arguments. */
  readonly type: StaticType | "kept";
  /** True if it changes or stops something, so it must not be skipped. */
  readonly hasEffect: boolean;
  /** True if results differ between calls. */
  readonly isVolatile: boolean;
  readonly need: Need | null;
  /** Arguments and result, in one line. */
  readonly doc: string;
  /** For up to five arguments; omitted ones are undefined. */
  readonly call: Call | null;
  /** For any number of arguments; a row has either `call` or `many`. */
  readonly many: VariadicFunction | null;
  /** As `call`, for numbers only; must give the same results. */
  readonly number: NumberCall | null;
}

export type Argument = Value | undefined;
export type Call = (
  x: Context,
  a: Argument,
  b: Argument,
  c: Argument,
  d: Argument,
  e: Argument,
) => Value;
export type VariadicFunction = (x: Context, args: readonly Value[]) => Value;
export type NumberCall = (a: number, b: number, c: number, d: number) => number;

type Traits = Partial<Pick<FunctionRow, "hasEffect" | "isVolatile" | "need">>;
const NO_TRAITS = { hasEffect: false, isVolatile: false, need: null };
export const EFFECT: Traits = { hasEffect: true };
export const VOLATILE: Traits = { isVolatile: true };

/** @param arity number of arguments, or minimum and maximum */
export function fixed(
  name: string,
  arity: number | readonly [number, number],
  type: StaticType,
  doc: string,
  call: Call,
  traits: Traits = {},
): FunctionRow {
  const [min, max] = typeof arity === "number" ? [arity, arity] : arity;
  return { name, min, max, type, doc, call, many: null, number: null, ...NO_TRAITS, ...traits };
}

export function variadic(
  name: string,
  min: number,
  type: StaticType,
  doc: string,
  many: VariadicFunction,
  traits: Traits = {},
): FunctionRow {
  const max = Number.POSITIVE_INFINITY;
  return { name, min, max, type, doc, call: null, many, number: null, ...NO_TRAITS, ...traits };
}

/**
 * Declares a numeric function: null for null, NaN for other values that are not numbers.
 * @param big computes ints beyond the safe range exactly
 */
export function numeric(
  name: string,
  arity: number,
  type: "int" | "real" | "kept",
  doc: string,
  number: NumberCall,
  big: ((a: bigint) => bigint) | null = null,
): FunctionRow {
  const call: Call = (_x, ...operands) => {
    let isKeptReal = type === "real";
    const numbers = [0, 0, 0, 0];
    for (let index = 0; index < arity; index++) {
      const value = operands[index]!;
      if (value === null) return null;
      if (!isNumeric(value)) return Number.NaN;
      if (big !== null && typeof value === "bigint") return wrapInt(big(value));
      isKeptReal ||= type === "kept" && isReal(value);
      numbers[index] = asNumber(value);
    }
    const result = number(numbers[0]!, numbers[1]!, numbers[2]!, numbers[3]!);
    return isKeptReal ? boxedReal(result) : result;
  };
  const shape = { name, min: arity, max: arity, type, doc, call, many: null, number };
  return { ...shape, ...NO_TRAITS };
}

/** Calls a function with a list of arguments. */
export function apply(row: FunctionRow, x: Context, args: readonly Value[]): Value {
  if (row.many !== null) return row.many(x, args);
  return row.call!(x, args[0], args[1], args[2], args[3], args[4]);
}
