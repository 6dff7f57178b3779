// The ints of the language: 64 bits, wrapping. An int is a number if that is exact, otherwise a
// BigInt. So every int has one representation, and small ints are as fast as numbers.

const BITS = 64;
const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);
/** A whole power below this is exact as a double. */
const EXACT_POWER = 2 ** 51;

export type Int = number | bigint;
export type IntOperator = "+" | "-" | "*" | "%";

/** Wraps to 64 bits; returns a number if that is exact. */
export function wrapInt(value: bigint): Int {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  const signed = BigInt.asIntN(BITS, value);
  const wrapped = Number(signed);
  return Number.isSafeInteger(wrapped) ? wrapped : signed;
}

export function calculateInts(operator: IntOperator, a: Int, b: Int): Int {
  return wrapInt(calculateBig(operator, BigInt(a), BigInt(b)));
}

export function calculateBig(operator: IntOperator, a: bigint, b: bigint): bigint {
  if (operator === "+") return a + b;
  if (operator === "-") return a - b;
  if (operator === "*") return a * b;
  return b === 0n ? 0n : a % b;
}

/** Returns the truncated quotient. The divisor must not be zero. */
export function divideInts(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") return Math.trunc(a / b) + 0;
  return wrapInt(BigInt(a) / BigInt(b));
}

/** Returns the truncated power; the least int if it does not fit in 64 bits. */
export function powInts(a: Int, b: Int): Int {
  if (a === -1) return BigInt(b) % 2n === 0n ? 1 : -1;
  const result = Number(a) ** Number(b);
  if (Math.abs(result) < EXACT_POWER) {
    if (Number.isInteger(result)) return result + 0;
    if (b < 0) return 0;
  }
  // 0 to a negative power, or more than 64 bits.
  if (Math.abs(result) > 2 ** (BITS + 1)) return MIN_INT64;
  const exact = BigInt(a) ** BigInt(b);
  return exact === BigInt.asIntN(BITS, exact) ? wrapInt(exact) : MIN_INT64;
}

/** Shifts by the count modulo 64; bits beyond 64 are lost. */
export function shiftInts(a: Int, b: Int, isLeft: boolean): Int {
  const count = typeof b === "number" ? ((b % BITS) + BITS) % BITS : Number(BigInt(b) & 63n);
  if (typeof a === "number") {
    if (!isLeft) return Math.floor(a / 2 ** count);
    const result = a * 2 ** count;
    if (Number.isSafeInteger(result)) return result + 0;
  }
  const [value, by] = [BigInt(a), BigInt(count)];
  return wrapInt(isLeft ? value << by : value >> by);
}

export function maskInts(operator: "&" | "|" | "^", a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number" && (a | 0) === a && (b | 0) === b) {
    return operator === "&" ? a & b : operator === "|" ? a | b : a ^ b;
  }
  const [x, y] = [BigInt(a), BigInt(b)];
  return wrapInt(operator === "&" ? x & y : operator === "|" ? x | y : x ^ y);
}

/** Truncates a real: beyond 64 bits to the least int, infinities to the limits, NaN to 0. */
export function truncateReal(real: number): Int {
  const number = Math.trunc(real);
  if (Number.isSafeInteger(number)) return number + 0;
  if (Number.isNaN(number)) return 0;
  if (number === Number.POSITIVE_INFINITY) return MAX_INT64;
  return Math.abs(number) >= 2 ** (BITS - 1) ? MIN_INT64 : BigInt(number);
}
