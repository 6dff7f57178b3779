// Values of classes in arguments and results: what converters call for types that contain any.

import type { Plan } from "../../../client/typescript/operation.js";
import { decode, encode } from "../../../client/typescript/typed-values.js";
import { ParameterError } from "../../base/errors.js";

const MAX_MESSAGE = 500;

/** Returns a function that converts the checked JSON of an argument. */
export function typedArgument(plan: Plan, plans: readonly Plan[]) {
  return (value: unknown, name: string): unknown => {
    try {
      return decode(value, plan, plans, name);
    } catch (error) {
      // Any text of the client can cause it, also in `fromJSON` of a project.
      const { message } = error as Error;
      throw new ParameterError("ValueError", message.slice(0, MAX_MESSAGE));
    }
  };
}

/** Returns a function that converts a result, or an item of it, to JSON. */
export function typedResult(plan: Plan, plans: readonly Plan[]) {
  return (value: unknown): unknown => {
    try {
      return encode(value, plan, plans);
    } catch (error) {
      // The writer of JSON reports cycles.
      if (error instanceof RangeError) return value;
      throw error;
    }
  };
}
