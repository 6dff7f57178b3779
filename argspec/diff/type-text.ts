// Shows a schema as short text in TypeScript notation: `integer | null`, `City[]`, `{ x: number;
// y?: string }`. Schemas come from outside, so the text is bounded in length and depth and free of
// control characters. It is for people and must not be parsed.

import type { JsonSchema } from "../argspec.js";
import { type Limits, readLimits } from "../limits/limits.js";

const MAX_TEXT = 60;
const MAX_DEPTH = 3;
const MAX_PARTS = 12;
const REFERENCE = "#/$defs/";

export function typeText(schema: JsonSchema): string {
  return clipped(textOf(schema, 0));
}

/** Shows a JSON value on one line. */
export function valueText(value: unknown): string {
  const shown = typeof value === "string" ? value.slice(0, MAX_TEXT) : value;
  return clipped(printable(JSON.stringify(shown) ?? ""));
}

/** Returns the path of a property: `.name`, or `["odd name"]`. */
export function propertyPath(name: string): string {
  return isPlainName(name) ? `.${name}` : `[${valueText(name)}]`;
}

function clipped(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text;
}

function isPlainName(name: string): boolean {
  return /^[\w$]{1,60}$/.test(name);
}

/** `JSON.stringify` escapes the other control characters. */
function printable(json: string): string {
  return json.replace(
    /[\x7f-\x9f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function textOf(schema: JsonSchema, depth: number): string {
  if (depth > MAX_DEPTH) return "…";
  const { $ref, anyOf, type } = schema;
  if (typeof $ref === "string") return $ref.replace(REFERENCE, "");
  if (Array.isArray(anyOf)) return unionText(anyOf, (member) => textOf(member, depth + 1));
  if (Array.isArray(schema.enum)) return unionText(schema.enum, valueText);
  if ("const" in schema) return valueText(schema.const);
  switch (type) {
    case undefined:
      return "any";
    case "array":
      return arrayText(schema, depth + 1);
    case "object":
      return objectText(schema, depth + 1);
    case "string": {
      const { pattern, ...others } = readLimits(schema);
      const kind = pattern === undefined ? type : `/${valueText(pattern).slice(1, -1)}/`;
      return kind + limitText(others);
    }
    default:
      return String(type) + limitText(readLimits(schema));
  }
}

/** Returns text such as ` (minimum 1, maximum 100)`. */
function limitText(limits: Limits): string {
  const texts = Object.entries(limits).map(([word, value]) => `${word} ${valueText(value)}`);
  return texts.length === 0 ? "" : ` (${texts.join(", ")})`;
}

function unionText<T>(members: readonly T[], memberText: (member: T) => string): string {
  return members.length === 0 ? "never" : [...new Set(firstOf(members, memberText))].join(" | ");
}

function arrayText(schema: JsonSchema, depth: number): string {
  const first = (schema.prefixItems ?? []) as readonly JsonSchema[];
  const rest = (schema.items ?? {}) as JsonSchema | boolean;
  const { minItems = 0, ...others } = readLimits(schema);
  const required = Math.min(minItems, first.length);
  const limits = limitText({ ...(minItems > required && { minItems }), ...others });
  const restText = typeof rest === "boolean" ? "any" : textOf(rest, depth);
  const list = /[ |]/.test(restText) ? `(${restText})[]` : `${restText}[]`;
  if (first.length === 0 && rest !== false && required === 0) return list + limits;
  const items = firstOf(first, (item, at) => `${textOf(item, depth)}${at < required ? "" : "?"}`);
  return `[${[...items, ...(rest === false ? [] : [`...${list}`])].join(", ")}]`;
}

function objectText(schema: JsonSchema, depth: number): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const required = new Set((schema.required ?? []) as readonly string[]);
  const further = (schema.additionalProperties ?? {}) as JsonSchema | boolean;
  const parts = firstOf(properties, ([name, part]) => {
    const shown = isPlainName(name) ? name : valueText(name);
    return `${shown}${required.has(name) ? "" : "?"}: ${textOf(part, depth)}`;
  });
  if (further !== false) {
    parts.push(`[key]: ${typeof further === "boolean" ? "any" : textOf(further, depth)}`);
  }
  return parts.length === 0 ? "{}" : `{ ${parts.join("; ")} }`;
}

/** Shows the first parts, as many as fit into a message. */
function firstOf<T>(parts: readonly T[], partText: (part: T, index: number) => string): string[] {
  const texts = parts.slice(0, MAX_PARTS).map(partText);
  return parts.length > MAX_PARTS ? [...texts, "…"] : texts;
}
