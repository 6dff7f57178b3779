// What was thrown, in words. Plugins may throw anything, also objects whose properties throw when
// they are read, so nothing here trusts its argument.

import { inspect } from "node:util";

/** Class of a value as the answers name it: `TypeError`, `Array`, `string`, `null`. */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object" && typeof value !== "function") return typeof value;
  try {
    const { name } = (value as { constructor: { name: unknown } }).constructor;
    if (typeof name === "string" && name !== "") return name;
  } catch {
    // No usable constructor: the general word will do.
  }
  return typeof value;
}

/** Class name of an error. Its own `name` comes first, because bundlers may rename classes. */
export function errorName(error: unknown): string {
  try {
    if (error instanceof Error && Object.hasOwn(error, "name")) {
      const { name } = error;
      if (typeof name === "string" && name !== "") return name;
    }
  } catch {
    // A hostile getter or proxy: go by the class.
  }
  return typeName(error);
}

/** The message of an error, or the text of whatever else was thrown. */
export function errorMessageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return String(thrown.message);
    return typeof thrown === "string" ? thrown : inspect(thrown);
  } catch {
    return "(value that cannot be shown)";
  }
}

/** The text `Name('message')` of an error. */
export function errorText(error: unknown): string {
  const message = errorMessageOf(error);
  if (message === "") return `${errorName(error)}()`;
  const quote = message.includes("'") && !message.includes('"') ? '"' : "'";
  const escaped = quote === "'" ? message.replaceAll("'", "\\'") : message;
  return `${errorName(error)}(${quote}${escaped}${quote})`;
}

/** `instanceof` for a value that may be a proxy whose traps throw. */
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
