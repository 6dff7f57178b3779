// Converts between JSON and instances of classes in arguments and results.

import type { Plan } from "../../../client/typescript/operation.js";
import { decode, encode } from "../../../client/typescript/typed-values.js";
import { ParameterError } from "../../base/errors.js";

const MAX_MESSAGE = 500;

/**
 * Returns a function that converts the checked JSON of an argument.
 * @param plan written by the compiler, like the other `plans`
 */
export function typedArgument(
  plan: object,
  plans: readonly object[],
): (value: unknown, name: string) => unknown {
  return (value, name) => {
    try {
      return decode(value, plan as Plan, plans as readonly Plan[], name);
    } catch (error) {
      // Any client text can cause this error, also in `fromJSON` of a project.
      const { message } = error as Error;
      throw new ParameterError("ValueError", message.slice(0, MAX_MESSAGE));
    }
  };
}

/** Returns a function that converts a result, or an item of it, to JSON. */
export function typedResult(plan: object, plans: readonly object[]): (value: unknown) => unknown {
  return (value) => {
    try {
      return encode(value, plan as Plan, plans as readonly Plan[]);
    } catch (error) {
      // The JSON writer reports cycles.
      if (error instanceof RangeError) return value;
      throw error;
    }
  };
}
