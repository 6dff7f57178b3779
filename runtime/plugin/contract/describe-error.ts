// Describes thrown values. Plugins may throw any value, also objects with getters that throw, so no
// access here trusts its argument.

import { inspect } from "node:util";

/** Returns the class of a value for error messages: `TypeError`, `Array`, `string`, `null`. */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object" && typeof value !== "function") return typeof value;
  try {
    const { name } = (value as { constructor: { name: unknown } }).constructor;
    if (typeof name === "string" && name !== "") return name;
  } catch {
    // No usable constructor: the generic name is used.
  }
  return typeof value;
}

/**
 * Returns the class name of an error. Its own `name` comes first, because bundlers may rename
 * classes.
 */
export function errorName(error: unknown): string {
  try {
    if (error instanceof Error && Object.hasOwn(error, "name")) {
      const { name } = error;
      if (typeof name === "string" && name !== "") return name;
    }
  } catch {
    // A hostile getter or proxy: use the class.
  }
  return typeName(error);
}

/** Returns the message of an error, or the text of any other thrown value. */
export function getErrorMessage(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return String(thrown.message);
    return typeof thrown === "string" ? thrown : inspect(thrown);
  } catch {
    return "(value that cannot be shown)";
  }
}

/** Returns `Name('message')` of an error. */
export function errorText(error: unknown): string {
  const message = getErrorMessage(error);
  if (message === "") return `${errorName(error)}()`;
  const quote = message.includes("'") && !message.includes('"') ? '"' : "'";
  const escaped = quote === "'" ? message.replaceAll("'", "\\'") : message;
  return `${errorName(error)}(${quote}${escaped}${quote})`;
}

/** Returns `instanceof` for a value that may be a proxy whose traps throw. */
export function isInstance<T>(
  value: unknown,
  type: abstract new (...args: never[]) => T,
): value is T {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}
