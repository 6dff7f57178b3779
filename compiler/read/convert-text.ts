// The text of a query parameter to its value, as servers convert it (interface, "Plugin execution"
// rules 4 and 5). They do it in place and much faster; a test holds the two against each other.

import type { Wire } from "../../argspec/wire.js";

export type Converted = { readonly value: unknown } | { readonly required: string };

const INTEGER = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const CAST = /^\((?:(int|q)|float|d)\)/;

/** @param text without escapes */
export function convertText(text: string, wire: Wire): Converted {
  const cast = CAST.exec(text);
  if (cast !== null) {
    const rest = text.slice(cast[0].length);
    return cast[1] === undefined ? convertDecimal(rest) : convertInteger(rest);
  }
  switch (wire) {
    case "int":
      return convertInteger(text);
    case "float":
      return convertDecimal(text);
    case "json":
      return convertJson(text);
    default:
      return { value: text };
  }
}

function convertInteger(text: string): Converted {
  // Integers know no negative zero.
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
