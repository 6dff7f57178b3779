/** Returns whether a value is an object of keys and values: no array, no instance of a class. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  const prototype = Object.getPrototypeOf(value) as object | null;
  // A plain object of any realm has its prototype at the end of the chain.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
