// The order of strings in all output: by code unit, so that it is the same on every machine.

/** Returns a negative number, 0 or a positive number, as `Array.sort` expects. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
