// The constraints of a schema as short texts beside a field: `2–80 characters`, `1 to 100`.

import { type Limits, readLimits } from "../../argspec/limits/limits.js";
import { plural } from "./text.js";

export function describeLimits(schema: Readonly<Record<string, unknown>>): readonly string[] {
  const limits = readLimits(schema);
  const texts = [
    numberText(limits),
    limits.multipleOf === undefined ? "" : `multiple of ${limits.multipleOf}`,
    countText(limits.minLength, limits.maxLength, "character"),
    countText(limits.minItems, limits.maxItems, "item"),
    limits.uniqueItems ? "all different" : "",
    limits.format ?? "",
    limits.pattern ?? "",
  ];
  return texts.filter((text) => text !== "");
}

function numberText({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Limits): string {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  const texts = [
    minimum === undefined ? "" : `≥ ${minimum}`,
    exclusiveMinimum === undefined ? "" : `> ${exclusiveMinimum}`,
    maximum === undefined ? "" : `≤ ${maximum}`,
    exclusiveMaximum === undefined ? "" : `< ${exclusiveMaximum}`,
  ];
  return texts.filter((text) => text !== "").join(", ");
}

function countText(min: number | undefined, max: number | undefined, noun: string): string {
  if (min === undefined && max === undefined) return "";
  if (min !== undefined && max !== undefined) {
    return min === max ? plural(max, noun) : `${min}–${max} ${noun}s`;
  }
  return min === undefined ? `≤ ${plural(max!, noun)}` : `≥ ${plural(min, noun)}`;
}
