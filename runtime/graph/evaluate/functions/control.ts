// Functions that stop an expression or a query early, or choose among their arguments.

import { Float } from "../../../base/float.js";
import { Bits, isCondition, type Value } from "../values.js";
import { EFFECT, type FunctionRow, fixed, variadic } from "./row.js";

/** Thrown to return from an expression; preallocated because it is hot. */
export const RETURNED: { value: Value } = { value: null };

function returnEarly(value: Value): never {
  RETURNED.value = value;
  throw RETURNED;
}

/** Neither null nor NaN. */
function isValue(value: Value): boolean {
  return value !== null && !Number.isNaN(value);
}

export const CONTROL: readonly FunctionRow[] = [
  fixed(
    "return",
    1,
    "any",
    "(x): returns x from the expression",
    (_x, a) => returnEarly(a!),
    EFFECT,
  ),
  fixed(
    "returnif",
    2,
    "any",
    "(c, x): returns x from the expression if c; otherwise c",
    (_x, c, a) => (isCondition(c!) ? returnEarly(a!) : c!),
    EFFECT,
  ),
  fixed(
    "require",
    1,
    "any",
    "(c): returns 0 from the expression unless c",
    (_x, c) => (isCondition(c!) ? c! : returnEarly(0)),
    EFFECT,
  ),
  fixed(
    "halt",
    0,
    "int",
    "(): stops the query after this evaluation; 1, or 0 outside a query",
    ({ run }) => {
      run.isHalted = run.canHalt;
      return run.canHalt ? 1 : 0;
    },
    EFFECT,
  ),
  fixed(
    "haltif",
    1,
    "any",
    "(c): stops the query after this evaluation if c; returns c",
    ({ run }, c) => {
      if (isCondition(c!)) run.isHalted = run.canHalt;
      return c!;
    },
    EFFECT,
  ),
  fixed("halted", 0, "int", "(): 1 if the query is stopping", ({ run }) => (run.isHalted ? 1 : 0), {
    isVolatile: true,
  }),
  fixed(
    "continue",
    0,
    "int",
    "(): cancels `halt`; returns 1",
    ({ run }) => {
      run.isHalted = false;
      return 1;
    },
    EFFECT,
  ),
  fixed(
    "continueif",
    1,
    "any",
    "(c): cancels `halt` if c; returns c",
    ({ run }, c) => {
      if (isCondition(c!)) run.isHalted = false;
      return c!;
    },
    EFFECT,
  ),
  variadic("do", 0, "int", "(...): evaluates its arguments; returns 1", () => 1),
  variadic("void", 0, "null", "(...): evaluates its arguments; returns null", () => null),
  variadic(
    "firstval",
    0,
    "any",
    "(...): first argument that is not null or nan",
    (_x, args) => args.find(isValue) ?? args[0] ?? null,
  ),
  variadic(
    "lastval",
    0,
    "any",
    "(...): last argument that is not null or nan",
    (_x, args) => args.findLast(isValue) ?? args.at(-1) ?? null,
  ),
  variadic("anynan", 0, "int", "(...): 1 if any argument is not a number", (_x, args) =>
    Number(args.some(isNan)),
  ),
  variadic("allnan", 0, "int", "(...): 1 if no argument is a number", (_x, args) =>
    Number(args.every(isNan)),
  ),
];

/** False for numbers and bits only. */
export function isNan(value: Value): boolean {
  if (typeof value === "number") return Number.isNaN(value);
  return !(value instanceof Float || typeof value === "bigint" || value instanceof Bits);
}
