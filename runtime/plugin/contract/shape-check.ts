// Runs generated shape checks. A check returns null if a value has its shape, else path and
// problem, such as `.x (a number is required)`; the name is prepended here, so that a valid value
// allocates no string.

import { ParameterError } from "../../base/errors.js";
import { truncateForMessage } from "./truncate-for-message.js";

export type ShapeCheck = (value: unknown) => string | null;

/**
 * Checks a converted value and returns it.
 * @throws ParameterError naming the parameter
 */
export function checked(value: unknown, name: string, check: ShapeCheck): unknown {
  assertShape(value, name, check, String(value));
  return value;
}

/**
 * @param text of the value, as the client sent it
 * @throws ParameterError naming the parameter and the path to the problem
 */
export function assertShape(value: unknown, name: string, check: ShapeCheck, text: string): void {
  let fault: string | null;
  try {
    fault = check(value);
  } catch (error) {
    // The checks of recursive types recurse as deeply as the client's JSON does.
    if (!(error instanceof RangeError)) {
      throw error;
    }
    fault = " (nested too deeply)";
  }
  if (fault !== null) {
    const isWhole = fault.startsWith(" ") && (typeof value !== "object" || value === null);
    const echo = isWhole ? `=${truncateForMessage(text)}` : "";
    throw new ParameterError("TypeError", `${name}${echo}${fault}`);
  }
}

/** Returns a check that visits each object once and caches the result. */
export function memoizedCheck(check: ShapeCheck): ShapeCheck {
  const faults = new WeakMap<object, string | null>();
  return (value) => {
    const cached = faults.get(value as object);
    if (cached !== undefined) {
      return cached;
    }
    const fault = check(value);
    if (typeof value === "object" && value !== null) {
      faults.set(value, fault);
    }
    return fault;
  };
}

/** Returns whether a value is a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns an own property, for names that every object inherits (`constructor`). */
export function ownProperty(value: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
