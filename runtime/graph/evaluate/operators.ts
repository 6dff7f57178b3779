// Operators on any values. They never throw: undefined operations return NaN or the value that the
// language specifies. `number-operators.ts` has the operators on numbers.

import { Float } from "../../base/float.js";
import { PackedValue } from "../store/property-values.js";
import { equalComponents } from "../vectors/vector-parts.js";
import {
  calculateBig,
  calculateInts,
  type IntOperator,
  maskInts,
  powInts,
  shiftInts,
  truncateReal,
  wrapInt,
} from "./ints.js";
import {
  divideNumbers,
  powReals,
  remainderInts,
  remainderReals,
  TOLERANCE,
} from "./number-operators.js";
import { Pattern } from "./pattern.js";
import {
  asNumber,
  Bits,
  boxedReal,
  isInt,
  isNumeric,
  isReal,
  Pair,
  rawBits,
  toComparable,
  type Value,
  VectorValue,
  VertexRef,
} from "./values.js";
import { scaleVector, vectorSum } from "./vector-operators.js";

export function add(a: Value, b: Value): Value {
  if (typeof a === "number" && typeof b === "number") return keepKind("+", a + b, a, b);
  if (a === null) return b;
  if (b === null) return a;
  return arithmetic("+", a, b);
}

export function subtract(a: Value, b: Value): Value {
  if (typeof a === "number" && typeof b === "number") return keepKind("-", a - b, a, b);
  if (b === null) return isVectorLike(a) || a === null ? a : Number.NaN;
  if (a === null) return negate(b);
  return arithmetic("-", a, b);
}

export function multiply(a: Value, b: Value): Value {
  if (typeof a === "number" && typeof b === "number") return keepKind("*", a * b, a, b);
  if (a === null || b === null) return a === b ? null : 0;
  return arithmetic("*", a, b);
}

export function divide(a: Value, b: Value): Value {
  if (a === null) return null;
  if (b === null) return isVectorLike(a) ? a : Number.NaN;
  if (a instanceof VectorValue && isNumeric(b)) {
    return scaleVector(a, divideNumbers(1, asNumber(b)));
  }
  // Division by a string returns the left side.
  if (isNumeric(a) && !isNumeric(b)) return a;
  return boxedReal(divideNumbers(asNumber(a), asNumber(b)));
}

export function remainder(a: Value, b: Value): Value {
  if (a === null) return null;
  if (b === null) return isNumeric(a) ? a : Number.NaN;
  return arithmetic("%", a, b);
}

export function power(a: Value, b: Value): Value {
  if (a === null) return null;
  if (b === null) return 1;
  if (isInt(a) && isInt(b)) return powInts(a, b);
  return boxedReal(powReals(asNumber(a), asNumber(b)));
}

/** Returns whether a value can be added and multiplied by a number: a number or a vector. */
function isVectorLike(value: Value): boolean {
  return isNumeric(value) || value instanceof VectorValue;
}

/** Returns the result in the type of the operands: a whole real stays a real. */
function keepKind(operator: "+" | "-" | "*", result: number, a: number, b: number): Value {
  const areInts = Number.isSafeInteger(a) && Number.isSafeInteger(b);
  if (Number.isSafeInteger(result)) return areInts ? result + 0 : new Float(result);
  return areInts ? calculateInts(operator, a, b) : result;
}

function arithmetic(operator: IntOperator, a: Value, b: Value): Value {
  if (a instanceof VectorValue || b instanceof VectorValue) return vectorSum(operator, a, b);
  if (!isNumeric(a) || !isNumeric(b)) return Number.NaN;
  if (a instanceof Bits || b instanceof Bits) {
    if (isReal(a) || isReal(b)) return Number.NaN;
    return new Bits(calculateBig(operator, rawBits(a), rawBits(b)));
  }
  if (isInt(a) && isInt(b) && (typeof a === "bigint" || typeof b === "bigint")) {
    return calculateInts(operator, a, b);
  }
  const [x, y] = [asNumber(a), asNumber(b)];
  if (operator === "%") {
    return isInt(a) && isInt(b) ? remainderInts(x, y) : boxedReal(remainderReals(x, y));
  }
  const result = operator === "+" ? x + y : operator === "-" ? x - y : x * y;
  return isReal(a) || isReal(b) ? boxedReal(result) : result;
}

export function negate(a: Value): Value {
  if (typeof a === "number") return Number.isSafeInteger(a) ? 0 - a : -a;
  if (a === null) return null;
  if (typeof a === "string") return a;
  if (a instanceof Float) return boxedReal(-a.value);
  if (a instanceof VectorValue) return scaleVector(a, -1);
  if (typeof a === "bigint") return wrapInt(-a);
  return a instanceof Bits ? new Bits(-a.value) : Number.NaN;
}

export function invert(a: Value): Value {
  if (a === null) return null;
  if (a instanceof Bits) return new Bits(~a.value);
  const number = asNumber(a);
  if (!isInt(a) && !Number.isFinite(number)) return number;
  return wrapInt(~BigInt(isInt(a) ? a : truncateReal(number)));
}

/** `<<` and `>>`. */
export function shift(a: Value, b: Value, isLeft: boolean): Value {
  if (!isInt(b)) return a;
  if (a instanceof Bits) {
    const count = BigInt(b) & 63n;
    return new Bits(isLeft ? a.value << count : a.value >> count);
  }
  if (isInt(a)) return shiftInts(a, b, isLeft);
  const number = asNumber(a);
  return Number.isFinite(number) ? shiftInts(truncateReal(number), b, isLeft) : a;
}

/**
 * Computes `&`, `|` or `^` in the type of the left side. Returns the left side unchanged unless
 * both sides are ints or bits.
 */
export function maskBits(operator: "&" | "|" | "^", a: Value, b: Value): Value {
  const isBits = a instanceof Bits;
  if (!(isBits || isInt(a)) || !(b instanceof Bits || isInt(b))) return a;
  if (isInt(a) && isInt(b)) return maskInts(operator, a, b);
  const [x, y] = [rawBits(a), rawBits(b)];
  const bits = operator === "&" ? x & y : operator === "|" ? x | y : x ^ y;
  return isBits ? new Bits(bits) : wrapInt(bits);
}

export function equals(a: Value, b: Value): boolean {
  if (typeof a === "number" && typeof b === "number") {
    return a === b || Math.abs(a - b) < TOLERANCE;
  }
  if (typeof a === "string") {
    if (typeof b === "string") return a === b;
    return b instanceof Pattern && b.matches(a);
  }
  if (a === null || b === null) return a === b;
  if (isNumeric(a) && isNumeric(b)) return equalNumbers(a, b);
  if (a instanceof Pattern) {
    if (b instanceof Pattern) return a.head === b.head && a.tail === b.tail;
    return typeof b === "string" && a.matches(b);
  }
  return equalObjects(a, b);
}

function equalNumbers(a: Value, b: Value): boolean {
  if (isReal(a) || isReal(b)) {
    const [x, y] = [asNumber(a), asNumber(b)];
    return x === y || Math.abs(x - y) < TOLERANCE;
  }
  return rawBits(a) === rawBits(b);
}

function equalObjects(a: Value, b: Value): boolean {
  if (a instanceof VertexRef) return b instanceof VertexRef && a.handle === b.handle;
  if (a instanceof VectorValue) {
    return b instanceof VectorValue && equalComponents(a.parts, b.parts);
  }
  if (a instanceof Pair) return b instanceof Pair && a.key === b.key && a.value === b.value;
  if (a instanceof PackedValue && b instanceof PackedValue) {
    return a.kind === b.kind && Buffer.compare(a.bytes, b.bytes) === 0;
  }
  return false;
}

export function isLess(a: Value, b: Value): boolean {
  if (typeof a === "number" && typeof b === "number") return a < b;
  if (typeof a === "string" || a instanceof Pattern) {
    return typeof b === "string" && compareTexts(textIn(a), b) < 0;
  }
  return numberOrPair(a) < numberOrPair(b);
}

export function isAtMost(a: Value, b: Value): boolean {
  if (typeof a === "number" && typeof b === "number") return a <= b;
  if (typeof a === "string" || a instanceof Pattern) {
    return typeof b === "string" && compareTexts(textIn(a), b) <= 0;
  }
  return numberOrPair(a) <= numberOrPair(b);
}

function textIn(value: string | Pattern): string {
  return typeof value === "string" ? value : value.head + value.tail;
}

function numberOrPair(value: Value): number | bigint {
  return value instanceof Pair ? value.value : toComparable(value);
}

/** Compares by UTF-8 bytes, the order of code points: -1, 0 or 1. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [x, y] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (x !== y) return codePointOrder(x) < codePointOrder(y) ? -1 : 1;
  }
  return Math.sign(a.length - b.length);
}

/** Surrogates sort after all other code units. */
function codePointOrder(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
