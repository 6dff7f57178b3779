// The one order of texts in everything that is written: by code unit, the same on every machine.

/** Negative, 0 or positive, as `Array.sort` wants it. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
