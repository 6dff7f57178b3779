// Operators on numbers, for statically typed closures and loops, and for the operators on any
// values. Ints and results are safe integers here; `ints.ts` handles larger ones.

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

export function powReals(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.NaN;
  return a <= 0 ? 0 : Math.min(a ** b, HUGE);
}

export function equalReals(a: number, b: number): boolean {
  return a === b || Math.abs(a - b) < TOLERANCE;
}
