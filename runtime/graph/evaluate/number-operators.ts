// Operators on numbers, for statically typed closures and loops, and as parts of those on any
// values. Ints are exact to 2^53; larger results become reals.

/** Reals that differ by less are equal. */
export const TOLERANCE = 1.1920929e-7;
/** Replaces a zero divisor: the smallest normal float32. */
const TINY = 1.1754943508222875e-38;
const HUGE = 1.797693134862315e308;

export function divideNumbers(a: number, b: number): number {
  return a / (b === 0 && !Object.is(b, -0) ? TINY : b);
}

export function remainderInts(a: number, b: number): number {
  return b === 0 ? 0 : (a % b) + 0;
}

export function remainderReals(a: number, b: number): number {
  return b === 0 ? TINY : a % b;
}

export function powInts(a: number, b: number): number {
  const result = a ** b;
  if (Number.isNaN(result)) return 0;
  return Number.isFinite(result) ? Math.trunc(result) + 0 : HUGE;
}

export function powReals(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.NaN;
  return a <= 0 ? 0 : Math.min(a ** b, HUGE);
}

/** The count is taken modulo 64; bits beyond 64 are lost. */
export function shiftInts(a: number, b: number, isLeft: boolean): number {
  const count = ((b % 64) + 64) % 64;
  if (!isLeft) return Math.floor(a / 2 ** count);
  const result = a * 2 ** count;
  if (Number.isSafeInteger(result)) return result + 0;
  return Number(BigInt.asIntN(64, BigInt(a) << BigInt(count)));
}

export function maskInts(operator: "&" | "|" | "^", a: number, b: number): number {
  if ((a | 0) === a && (b | 0) === b) {
    return operator === "&" ? a & b : operator === "|" ? a | b : a ^ b;
  }
  const [x, y] = [BigInt(a), BigInt(b)];
  return Number(operator === "&" ? x & y : operator === "|" ? x | y : x ^ y);
}

export function equalReals(a: number, b: number): boolean {
  return a === b || Math.abs(a - b) < TOLERANCE;
}
