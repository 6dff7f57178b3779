// Benchmark options: positive integers with defaults.

import { parseArgs } from "node:util";

/**
 * Parses the command line; exits with a message if an option is unknown or not a positive integer.
 * @template {Record<string, number>} T
 * @param {T} defaults options by name
 * @returns {T}
 */
export function readOptions(defaults) {
  const options = Object.fromEntries(Object.keys(defaults).map((name) => [name, TEXT]));
  try {
    const { values } = parseArgs({ options });
    return Object.fromEntries(
      Object.entries(defaults).map(([name, value]) => [
        name,
        positive(name, values[name] ?? value),
      ]),
    );
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}

const TEXT = { type: "string" };

function positive(name, value) {
  const number = Number(value);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`--${name} must be a whole number above 0, not ${value}`);
}
