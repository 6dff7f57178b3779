// Decides whether all values within some limits are within others. Never returns a wrong yes.

import { applicableLimits, type Limits, type LimitWord, limitCheck } from "./limits.js";

/** @param given limits of values of the same kind as those of `accepted` */
export function isImpliedBy(given: Limits, accepted: Limits): boolean {
  return (Object.keys(accepted) as LimitWord[]).every((word) => implies(given, accepted, word));
}

function implies(given: Limits, accepted: Limits, word: LimitWord): boolean {
  if (given[word] === accepted[word]) return true;
  const limit = accepted[word] as number;
  switch (word) {
    case "minimum":
    case "exclusiveMinimum": {
      const least = Math.max(given.minimum ?? -Infinity, given.exclusiveMinimum ?? -Infinity);
      const isOver = given.exclusiveMinimum === least || word === "minimum";
      return least > limit || (least === limit && isOver);
    }
    case "maximum":
    case "exclusiveMaximum": {
      const most = Math.min(given.maximum ?? Infinity, given.exclusiveMaximum ?? Infinity);
      const isUnder = given.exclusiveMaximum === most || word === "maximum";
      return most < limit || (most === limit && isUnder);
    }
    case "minLength":
    case "minItems":
      return limit === 0 || (given[word] ?? 0) >= limit;
    case "maxLength":
    case "maxItems":
      return (given[word] ?? Infinity) <= limit;
    case "multipleOf":
      return (
        given.multipleOf !== undefined &&
        limitCheck({ multipleOf: limit })(given.multipleOf) === null
      );
    default:
      return false;
  }
}

/** Returns whether a value of the right kind is within limits; false if in doubt. */
export function isWithin(value: string | number, limits: Limits): boolean {
  const usable = applicableLimits({ ...limits });
  const isWhole = Object.keys(usable).length === Object.keys(limits).length;
  return isWhole && limitCheck(usable)(value) === null;
}
