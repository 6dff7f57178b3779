// Patterns of numbers in texts, such as keys of records.

export const NUMBER_SOURCE = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?`;
export const INTEGER_SOURCE = String.raw`-?\d+`;

const KEYS = new Map([
  [`^${NUMBER_SOURCE}$`, "a number"],
  [`^${INTEGER_SOURCE}$`, "an integer"],
]);

/** Describes the keys that a pattern accepts. */
export function describeKeys(pattern: string): string {
  return `${KEYS.get(pattern) ?? `a text like ${pattern}`} as key`;
}
