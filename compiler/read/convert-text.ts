// Converts the text of a query parameter to its value (http-interface, "Plugin execution" rules 4
// and 5; docs/guides/writing-plugins.md has the table). Servers use a faster implementation that
// converts in place; a test compares the two.

import type { Wire } from "../../argspec/wire.js";
import { hasParts, isText } from "../record/admits.js";
import { isObject, isScalarValue } from "../record/scalar-value.js";
import type { TypeShape } from "../record/type-shape.js";

export type Converted = { readonly value: unknown } | { readonly required: string };

/** Conversion required by the type of a parameter. */
export interface ConvertedType {
  readonly wire: Wire;
  readonly untyped: boolean;
  /** Members of the type, including those of named types and nested unions. */
  readonly members: readonly TypeShape[];
}

const INTEGER = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const CAST = /^\((?:(int|q)|float|d)\)/;

/** @param text unescaped; null for a key without a value */
export function convertText(text: string | null, type: ConvertedType): Converted {
  if (text === null) return convertMissing(type);
  if (type.untyped) return convertCast(text) ?? { value: text };
  switch (type.wire) {
    case "int":
      return asInteger(convertCast(text) ?? convertInteger(text));
    case "float":
      return convertCast(text) ?? convertDecimal(text);
    case "json":
      return type.members.some(isText) ? convertTextOrJson(text, type) : convertNonText(text);
    default:
      return { value: text };
  }
}

function convertMissing({ wire, untyped, members }: ConvertedType): Converted {
  const isAny = members.some(({ kind }) => kind === "json");
  if (untyped || isAny || admits(members, null)) return { value: null };
  if (wire === "str" || wire === "bytes") return { value: "" };
  if (wire !== "json") return { required: wire === "int" ? "an integer" : "a number" };
  const value = [true, ""].find((candidate) => admits(members, candidate));
  return value === undefined ? { required: "a value" } : { value };
}

/** Converts a union of text and other JSON. */
function convertTextOrJson(text: string, { members }: ConvertedType): Converted {
  const other = convertNonText(text);
  if ("value" in other) {
    const isComposite = typeof other.value === "object" && other.value !== null;
    if ((isComposite && hasParts(members)) || admits(members, other.value)) return other;
  }
  return { value: text };
}

function convertNonText(text: string): Converted {
  return convertCast(text) ?? convertJson(text);
}

/** Returns null for a text that does not start with a cast. */
function convertCast(text: string): Converted | null {
  const cast = CAST.exec(text);
  if (cast === null) return null;
  const rest = text.slice(cast[0].length);
  return cast[1] === undefined ? convertDecimal(rest) : convertInteger(rest);
}

function asInteger(converted: Converted): Converted {
  if (!("value" in converted) || Number.isSafeInteger(converted.value)) return converted;
  return { required: "an integer" };
}

function convertInteger(text: string): Converted {
  // Integers have no negative zero.
  const value = INTEGER.test(text) ? Number(text) + 0 : Number.NaN;
  return Number.isSafeInteger(value) ? { value } : { required: "an integer" };
}

function convertDecimal(text: string): Converted {
  const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? { value } : { required: "a number" };
}

function convertJson(text: string): Converted {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { required: "JSON" };
  }
}

/**
 * Returns whether a value belongs to one of the members. For arrays and objects, only the kind is
 * compared.
 */
function admits(members: readonly TypeShape[], value: unknown): boolean {
  return members.some((member) => {
    if (member.kind === "array" || member.kind === "tuple") return Array.isArray(value);
    const hasParts = member.kind === "object" || member.kind === "ref";
    return hasParts ? isObject(value) : isScalarValue(member, value);
  });
}
