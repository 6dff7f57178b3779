// Decides whether all values within some limits are within others. Never returns a wrong yes.

import { applicableLimits, type Limits, type LimitWord, limitCheck } from "./limits.js";

/**
 * Returns whether values within the limits `source` are within the limits `target`. Both are limits
 * of one kind of values.
 */
export function isImpliedBy(source: Limits, target: Limits): boolean {
  return (Object.keys(target) as LimitWord[]).every((word) => implies(source, target, word));
}

function implies(source: Limits, target: Limits, word: LimitWord): boolean {
  if (source[word] === target[word]) return true;
  const limit = target[word] as number;
  switch (word) {
    case "minimum":
    case "exclusiveMinimum": {
      const minimum = Math.max(source.minimum ?? -Infinity, source.exclusiveMinimum ?? -Infinity);
      const isOver = source.exclusiveMinimum === minimum || word === "minimum";
      return minimum > limit || (minimum === limit && isOver);
    }
    case "maximum":
    case "exclusiveMaximum": {
      const maximum = Math.min(source.maximum ?? Infinity, source.exclusiveMaximum ?? Infinity);
      const isUnder = source.exclusiveMaximum === maximum || word === "maximum";
      return maximum < limit || (maximum === limit && isUnder);
    }
    case "minLength":
    case "minItems":
      return limit === 0 || (source[word] ?? 0) >= limit;
    case "maxLength":
    case "maxItems":
      return (source[word] ?? Infinity) <= limit;
    case "multipleOf":
      return (
        source.multipleOf !== undefined &&
        limitCheck({ multipleOf: limit })(source.multipleOf) === null
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
