// Builds a minimal value that a schema accepts, for the line that shows how to call a plugin.

import type { Argspec, JsonSchema } from "./argspec.js";
import { FORMATS } from "./limits/formats.js";
import { applicableLimits, type Limits, limitCheck } from "./limits/limits.js";

const MAX_DEPTH = 8;
/** A longer array would multiply with each level of nesting. */
const MAX_ITEMS = 3;
const MAX_LENGTH = 100;
const BY_TYPE: Readonly<Record<string, unknown>> = {
  boolean: true,
  null: null,
};

export function sampleValue(schema: JsonSchema, $defs: Argspec["$defs"], depth = 0): unknown {
  const inner = (part: unknown) => sampleValue(part as JsonSchema, $defs, depth + 1);
  if (depth > MAX_DEPTH) return null;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (typeof schema.$ref === "string") return inner($defs[schema.$ref.slice("#/$defs/".length)]!);
  if (Array.isArray(schema.anyOf)) return inner(schema.anyOf[0]);
  if (schema.type === "array") {
    const items = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
    const itemCount = Math.min(Number(schema.minItems ?? 0), Math.max(items.length, MAX_ITEMS));
    return Array.from({ length: itemCount }, (_, index) => inner(items[index] ?? schema.items));
  }
  if (schema.type === "object") {
    const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
    const required = (schema.required ?? []) as readonly string[];
    return Object.fromEntries(required.map((name) => [name, inner(properties[name])]));
  }
  const type = String(schema.type);
  if (type === "string") return sampleText(schema);
  if (type === "integer" || type === "number") return sampleNumber(type, applicableLimits(schema));
  return Object.hasOwn(BY_TYPE, type) ? BY_TYPE[type] : 1;
}

/** No matching text is known for a pattern, so the pattern itself is shown. */
function sampleText(schema: JsonSchema): string {
  const { minLength = 0, maxLength = Infinity, format } = applicableLimits(schema);
  if (format !== undefined && Object.hasOwn(FORMATS, format)) return FORMATS[format].sample;
  return "text".padEnd(Math.min(minLength, MAX_LENGTH), "t").slice(0, maxLength);
}

function sampleNumber(type: "integer" | "number", limits: Limits): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = limits;
  const isInteger = type === "integer";
  const step = multipleOf ?? 1;
  const usual = multipleOf ?? (isInteger ? 1 : 1.5);
  const isWithin = (value: number) => limitCheck(limits)(value) === null;
  const bounds = [minimum, maximum, exclusiveMinimum, exclusiveMaximum].filter(
    (bound) => bound !== undefined,
  );
  const whole = bounds.map((bound) => Math.round(bound / step) * step);
  const between = (bounds[0]! + bounds.at(-1)!) / 2;
  const candidates = [
    usual,
    ...whole,
    ...whole.map((bound) => bound + step),
    ...whole.map((bound) => bound - step),
    ...(isInteger ? [] : [between]),
  ];
  return candidates.find(isWithin) ?? usual;
}
