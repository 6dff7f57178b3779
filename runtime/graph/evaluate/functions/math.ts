// Numeric functions and aggregates.

import { PackedValue } from "../../store/property-values.js";
import { computeMagnitude } from "../../vectors/vector-parts.js";
import { type Int, truncateReal, wrapInt } from "../ints.js";
import { add, compareTexts, multiply, negate } from "../operators.js";
import { isIntList, packedNumbers } from "../packed.js";
import {
  asNumber,
  Bits,
  boxedReal,
  isInt,
  isNumeric,
  rawBits,
  toComparable,
  type Value,
  VectorValue,
} from "../values.js";
import { type Argument, type FunctionRow, fixed, numeric, VOLATILE, variadic } from "./row.js";

const MAX_FLOAT32 = 3.4028234663852886e38;
const MAX_FACTORIAL = 170;
const PROXIMITY = 256;
const DEGREES = 180 / Math.PI;
/** Contribution of a zero to a sum of inverses, as in division by zero. */
const INVERSE_OF_ZERO = 1 / 1.1754943508222875e-38;

const ABS = numeric(
  "abs",
  1,
  "kept",
  "(x): absolute value; magnitude of a vector",
  Math.abs,
  (a) => (a < 0n ? -a : a),
);
/** For ints, which are whole. */
const same = (a: bigint): bigint => a;

/** Returns the norm of a vector; null for anything else. */
function magnitude(value: Argument): Value {
  return value instanceof VectorValue ? boxedReal(computeMagnitude(value.parts)) : null;
}

function real(name: string, doc: string, of: (a: number) => number): FunctionRow {
  return numeric(name, 1, "real", `(x): ${doc}`, of);
}

function logarithm(name: string, doc: string, minimum: number, of: (a: number) => number) {
  return real(name, doc, (a) => (a <= 0 ? minimum : of(a)));
}

/** Rounds half away from zero. */
export function roundHalfAway(a: number): number {
  return Math.sign(a) * Math.round(Math.abs(a));
}

function randomBits(): bigint {
  const randomWord = (): bigint => BigInt(Math.floor(Math.random() * 2 ** 32));
  return (randomWord() << 32n) | randomWord();
}

/** Returns `a` if no other int is in the range. */
function randomInt(a: Value, b: Value): Value {
  const [low, high] = [truncated(a), truncated(b)];
  if (typeof low === "number" && typeof high === "number") {
    return high <= low + 1 ? a : low + Math.floor(Math.random() * (high - low));
  }
  const range = BigInt(high) - BigInt(low);
  return range <= 1n ? a : wrapInt(BigInt(low) + ((randomBits() * range) >> 64n));
}

function truncated(value: Value): Int {
  return isInt(value) ? value : truncateReal(asNumber(value));
}

function factorial(n: number): number {
  if (n > MAX_FACTORIAL) return Number.MAX_VALUE;
  if (Number.isNaN(n)) return n;
  let product = 1;
  for (let factor = 2; factor <= n; factor++) product *= factor;
  return product;
}

const MAX_TERMS = 100_000;

function binomial(n: number, k: number): number {
  if (!(k >= 0 && k <= n)) return 1;
  const terms = Math.min(k, n - k);
  if (terms > MAX_TERMS) return Number.MAX_VALUE;
  let result = 1;
  for (let term = 1; term <= terms; term++) result *= (n - terms + term) / term;
  return Math.min(result < 2 ** 53 ? Math.round(result) : result, Number.MAX_VALUE);
}

function sinc(a: number): number {
  return a === 0 ? 1 : Math.sin(Math.PI * a) / (Math.PI * a);
}

function isApprox(x: number, target: number, error: number): number {
  const difference = Math.abs(x - target);
  return Number((target === 0 ? difference : difference / Math.abs(target)) < Math.abs(error));
}

export function countBits(value: bigint): number {
  let count = 0;
  for (let rest = value; rest !== 0n; rest &= rest - 1n) count++;
  return count;
}

/** Returns the greater or the smaller of two values of any kind. */
function extreme(a: Value, b: Value, isMax: boolean): Value {
  if (typeof a === "string" && typeof b === "string") {
    return compareTexts(a, b) > 0 === isMax ? a : b;
  }
  if (a === null) return b;
  if (b === null) return isMax ? a : null;
  const [x, y] = [toComparable(a), toComparable(b)];
  if (Number.isNaN(x) || Number.isNaN(y)) {
    if (isMax) return Number.NaN;
    return Number.isNaN(x) ? b : a;
  }
  return x > y === isMax ? a : b;
}

/** Returns the numbers among the arguments, including those of arrays, and the count for a mean. */
function numbersOf(args: readonly Value[]): { numbers: Value[]; count: number } {
  const numbers: Value[] = [];
  let count = 0;
  for (const value of args) {
    if (value instanceof Bits) numbers.push(wrapInt(value.value));
    else if (isNumeric(value)) numbers.push(value);
    else if (value instanceof PackedValue) {
      const items = packedNumbers(value);
      const isInts = isIntList(value);
      for (let at = 0; at < items.length; at++) {
        numbers.push(isInts ? items[at]! : boxedReal(items[at]!));
      }
      count += items.length;
      continue;
    } else if (value !== null) continue;
    count++;
  }
  return { numbers, count };
}

function total(numbers: readonly number[], of: (a: number) => number): number {
  let sum = 0;
  for (const number of numbers) sum += of(number);
  return sum;
}

/** Declares an aggregate that combines the arguments with an operator, from the left. */
function foldAggregate(name: string, doc: string, first: number, of: typeof add): FunctionRow {
  return variadic(name, 0, "any", `(...): ${doc}`, (_x, args) => {
    const { numbers } = numbersOf(args);
    return numbers.length === 0 ? 0 : numbers.reduce(of, first);
  });
}

function meanAggregate(
  name: string,
  doc: string,
  of: (numbers: readonly number[], count: number) => number,
) {
  return variadic(name, 0, "any", `(...): ${doc}`, (_x, args) => {
    const { numbers, count } = numbersOf(args);
    return boxedReal(count === 0 ? 0 : of(numbers.map(asNumber), count));
  });
}

function deviation(numbers: readonly number[], count: number): number {
  if (count < 2) return 0;
  const mean = total(numbers, (a) => a) / count;
  return Math.sqrt(total(numbers, (a) => (a - mean) ** 2) / (count - 1));
}

const inverse = (a: number): number => (a === 0 ? INVERSE_OF_ZERO : 1 / a);

export const MATH: readonly FunctionRow[] = [
  fixed("neg", 1, "any", "(x): -x", (_x, a) => negate(a!)),
  real("inv", "1/x; max float32 for 0", (a) => (a === 0 ? MAX_FLOAT32 : 1 / a)),
  { ...ABS, call: (x, a, ...none) => magnitude(a) ?? ABS.call!(x, a, ...none) },
  real("sqrt", "square root; 0 for negative x", (a) => (a <= 0 ? 0 : Math.sqrt(a))),
  real("exp", "e to the power of x", Math.exp),
  logarithm("log2", "base-2 logarithm; -1074 for x <= 0", -1074, Math.log2),
  logarithm("log", "natural logarithm; -745 for x <= 0", -745, Math.log),
  logarithm("log10", "base-10 logarithm; -324 for x <= 0", -324, Math.log10),
  real("sin", "sine of radians", Math.sin),
  real("cos", "cosine of radians", Math.cos),
  real("tan", "tangent of radians", Math.tan),
  real("asin", "arc sine", Math.asin),
  real("acos", "arc cosine", Math.acos),
  real("atan", "arc tangent", Math.atan),
  real("sinh", "hyperbolic sine", Math.sinh),
  real("cosh", "hyperbolic cosine", Math.cosh),
  real("tanh", "hyperbolic tangent", Math.tanh),
  real("asinh", "inverse hyperbolic sine", Math.asinh),
  real("acosh", "inverse hyperbolic cosine", Math.acosh),
  real("atanh", "inverse hyperbolic tangent", Math.atanh),
  numeric("atan2", 2, "real", "(y, x): angle of a point, in radians", Math.atan2),
  real("sinc", "sin(pi x)/(pi x)", sinc),
  real("rad", "degrees to radians", (a) => a / DEGREES),
  real("deg", "radians to degrees", (a) => a * DEGREES),
  numeric("ceil", 1, "kept", "(x): rounded up", Math.ceil, same),
  numeric("floor", 1, "kept", "(x): rounded down", Math.floor, same),
  numeric("round", 1, "kept", "(x): rounds half away from zero", roundHalfAway, same),
  numeric("sign", 1, "kept", "(x): -1, 0 or 1", Math.sign, (a) => (a < 0n ? -1n : 1n)),
  real("fac", "factorial", factorial),
  numeric("comb", 2, "real", "(n, k): binomial coefficient", binomial),
  fixed("popcnt", 1, "int", "(x): number of set bits", (_x, a) => countBits(rawBits(a!))),
  fixed("max", 2, "any", "(a, b): maximum", (_x, a, b) => extreme(a!, b!, true)),
  fixed("min", 2, "any", "(a, b): minimum", (_x, a, b) => extreme(a!, b!, false)),
  {
    ...fixed("prox", 2, "real", "(a, b): 256/(256+|a-b|)", (_x, a, b) => {
      const difference = Math.abs(
        (a === null ? 0 : asNumber(a!)) - (b === null ? 0 : asNumber(b!)),
      );
      return boxedReal(PROXIMITY / (PROXIMITY + difference));
    }),
    number: (a, b) => PROXIMITY / (PROXIMITY + Math.abs(a - b)),
  },
  numeric("approx", 3, "int", "(x, t, err): 1 if x is near t, relative to t", isApprox),
  foldAggregate("sum", "sum, arrays included", 0, add),
  foldAggregate("sumsqr", "sum of squares", 0, (sum, a) => add(sum, multiply(a, a))),
  foldAggregate("prod", "product; 0 without arguments", 1, multiply),
  meanAggregate("invsum", "sum of inverses", (numbers) => total(numbers, inverse)),
  meanAggregate("mean", "mean", (numbers, count) => total(numbers, (a) => a) / count),
  meanAggregate("harmmean", "harmonic mean", (numbers, count) => count / total(numbers, inverse)),
  meanAggregate("geomean", "geometric mean", (numbers, count) => {
    return Math.exp(total(numbers, (a) => Math.log(a)) / count);
  }),
  meanAggregate("stdev", "sample standard deviation", deviation),
  fixed("random", 0, "real", "(): real from 0 to 1", () => boxedReal(Math.random()), VOLATILE),
  fixed(
    "randint",
    2,
    "any",
    "(a, b): random int in [a, b)",
    (_x, a, b) => randomInt(a!, b!),
    VOLATILE,
  ),
  fixed("randbits", 0, "bits", "(): 64 random bits", () => new Bits(randomBits()), VOLATILE),
];
