// Helpers of generated checks that every number typed as `int` in a result is an integer. NaN
// and infinite numbers are reported by another check.

/** Deeper values are not checked here; the JSON writer detects cycles. */
const MAX_DEPTH = 100;
const NO_ITEMS: readonly never[] = [];

export function isTooDeep(depth: number): boolean {
  return depth > MAX_DEPTH;
}

export function isFraction(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && !Number.isInteger(value);
}

/** @param path of the value in the result, such as `.items[3]` */
export function integerFault(path: string, value: unknown): string {
  return `result${path} is ${value}, but the declared result type is int`;
}

/** Returns the items of a value that JSON renders as an array. */
export function listItems(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value instanceof Set || value instanceof Map ? [...value] : NO_ITEMS;
}

/** Returns an object that JSON renders by its properties, or null. */
export function readFields(value: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  if (value instanceof Map) return Object.fromEntries(value) as Record<string, unknown>;
  const fields = value as Readonly<Record<string, unknown>>;
  return typeof fields.toJSON === "function" ? null : fields;
}
