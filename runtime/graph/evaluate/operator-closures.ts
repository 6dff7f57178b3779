// Closures of binary operators, for values, numbers and truths.

import type { Context } from "./context.js";
import { maskInts, shiftInts } from "./ints.js";
import {
  divideNumbers,
  equalReals,
  powReals,
  remainderInts,
  remainderReals,
} from "./number-operators.js";
import {
  add,
  divide,
  equals,
  isAtMost,
  isLess,
  maskBits,
  multiply,
  power,
  remainder,
  shift,
  subtract,
} from "./operators.js";
import { valueToText } from "./text-of.js";
import { isNumberType, isNumericType, isUnsignedZero } from "./type-rules.js";
import type { BinaryNode, TypedNode } from "./typed-tree.js";
import { isTrue, type Value, VectorValue } from "./values.js";
import { areSimilar, chargeVector } from "./vector-operators.js";

type Making<T> = (node: TypedNode) => (x: Context) => T;

const VALUES = new Map<string, (a: Value, b: Value) => Value>([
  ["-", subtract],
  ["*", multiply],
  ["/", divide],
  ["%", remainder],
  ["**", power],
  ["<<", (a, b) => shift(a, b, true)],
  [">>", (a, b) => shift(a, b, false)],
  ["&", (a, b) => maskBits("&", a, b)],
  ["|", (a, b) => maskBits("|", a, b)],
  ["^", (a, b) => maskBits("^", a, b)],
]);

/** Returns a closure for the value of `a operator b`, except comparisons. */
export function valueBinary(
  { operator, left, right, type }: BinaryNode,
  readValue: Making<Value>,
  hasEffect: boolean,
): (x: Context) => Value {
  const [a, b] = [readValue(left), readValue(right)];
  if (operator === "&&") return hasEffect ? andClosure(a, b) : secondIfTrue(a, b);
  if (operator === "||") return hasEffect ? orClosure(a, b) : firstIfTrue(a, b);
  if (operator === "+") {
    if (isNumericType(type)) return (x) => add(a(x), b(x));
    return (x) => addOrConcatenate(x, a(x), b(x));
  }
  const operate = VALUES.get(operator)!;
  if (isNumericType(type)) return (x) => operate(a(x), b(x));
  return (x) => chargeVector(x, operate(a(x), b(x)));
}

type Read<T> = (x: Context) => T;

function secondIfTrue(a: Read<Value>, b: Read<Value>): Read<Value> {
  return (x) => {
    if (!isTrue(a(x))) return 0;
    const second = b(x);
    return isTrue(second) ? second : 0;
  };
}

function andClosure(a: Read<Value>, b: Read<Value>): Read<Value> {
  return (x) => {
    const [first, second] = [a(x), b(x)];
    return isTrue(first) && isTrue(second) ? second : 0;
  };
}

function firstIfTrue(a: Read<Value>, b: Read<Value>): Read<Value> {
  return (x) => {
    const first = a(x);
    if (isTrue(first)) return first;
    const second = b(x);
    return isTrue(second) ? second : first;
  };
}

function orClosure(a: Read<Value>, b: Read<Value>): Read<Value> {
  return (x) => {
    const [first, second] = [a(x), b(x)];
    return isTrue(first) || !isTrue(second) ? first : second;
  };
}

/** Concatenates only if the left side is a string. */
function addOrConcatenate(x: Context, a: Value, b: Value): Value {
  if (typeof a !== "string")
    return typeof b === "string" && a !== null ? Number.NaN : chargeVector(x, add(a, b));
  if (b === null) return a;
  const added = valueToText(b, x.idOf);
  x.run.reserve(a.length + added.length);
  return a + added;
}

/**
 * Returns a closure for the number of `a operator b` if both are numbers; null if it has to be
 * derived from its value.
 */
export function numberBinary(
  { operator, left, right, type }: BinaryNode,
  readNumber: Making<number>,
  hasEffect: boolean,
): ((x: Context) => number) | null {
  if (!isNumberType(left.type) || !isNumberType(right.type) || !isNumberType(type)) return null;
  const [a, b] = [readNumber(left), readNumber(right)];
  const isInt = type === "int";
  switch (operator) {
    case "+":
      return (x) => a(x) + b(x);
    case "-":
      return (x) => a(x) - b(x);
    case "*":
      return isInt ? (x) => a(x) * b(x) + 0 : (x) => a(x) * b(x);
    case "/":
      if (isUnsignedZero(right)) return null;
      return (x) => divideNumbers(a(x), b(x));
    case "%":
      if (type === "num") return null;
      return isInt ? (x) => remainderInts(a(x), b(x)) : (x) => remainderReals(a(x), b(x));
    case "**":
      return type === "real" ? (x) => powReals(a(x), b(x)) : null;
    case ">>":
      return (x) => Number(shiftInts(a(x), b(x), false));
    case "&":
    case "|":
    case "^":
      return (x) => Number(maskInts(operator, a(x), b(x)));
    case "&&":
      return hasEffect ? null : (x) => (a(x) === 0 ? 0 : b(x) + 0);
    case "||":
      if (hasEffect) return null;
      return (x) => {
        const first = a(x);
        if (first !== 0) return first;
        const second = b(x);
        return second === 0 ? first : second;
      };
    default:
      return null;
  }
}

interface Makers {
  readonly readValue: Making<Value>;
  readonly readNumber: Making<number>;
  readonly readTruth: Making<boolean>;
}

/** Returns a closure for the truth of a comparison, `&&` or `||`; null for other operators. */
export function truthBinary(
  { operator, left, right }: BinaryNode,
  { readValue, readNumber, readTruth }: Makers,
  hasEffect: boolean,
): ((x: Context) => boolean) | null {
  if (operator === "&&" || operator === "||") {
    const [a, b] = [readTruth(left), readTruth(right)];
    const isAnd = operator === "&&";
    if (!hasEffect) return isAnd ? (x) => a(x) && b(x) : (x) => a(x) || b(x);
    return (x) => {
      const [first, second] = [a(x), b(x)];
      return isAnd ? first && second : first || second;
    };
  }
  if (isNumberType(left.type) && isNumberType(right.type)) {
    return comparedNumbers(operator, readNumber(left), readNumber(right));
  }
  return comparedValues(operator, readValue(left), readValue(right));
}

function comparedNumbers(operator: string, a: Read<number>, b: Read<number>) {
  switch (operator) {
    case "==":
      return (x: Context) => equalReals(a(x), b(x));
    case "!=":
      return (x: Context) => !equalReals(a(x), b(x));
    case "<":
      return (x: Context) => a(x) < b(x);
    case "<=":
      return (x: Context) => a(x) <= b(x);
    case ">":
      return (x: Context) => a(x) > b(x);
    case ">=":
      return (x: Context) => a(x) >= b(x);
    default:
      return null;
  }
}

function areEqual(x: Context, a: Value, b: Value): boolean {
  if (a instanceof VectorValue && b instanceof VectorValue) return areSimilar(x, a, b);
  return equals(a, b);
}

function comparedValues(operator: string, a: Read<Value>, b: Read<Value>) {
  switch (operator) {
    case "==":
      return (x: Context) => areEqual(x, a(x), b(x));
    case "!=":
      return (x: Context) => !areEqual(x, a(x), b(x));
    case "<":
      return (x: Context) => isLess(a(x), b(x));
    case "<=":
      return (x: Context) => isAtMost(a(x), b(x));
    case ">":
      return (x: Context) => swapOperands(isLess, a(x), b(x));
    case ">=":
      return (x: Context) => swapOperands(isAtMost, a(x), b(x));
    default:
      return null;
  }
}

/** Swaps the operands only after the evaluation, so that the left one is evaluated first. */
function swapOperands(test: (a: Value, b: Value) => boolean, a: Value, b: Value): boolean {
  return test(b, a);
}
