// From the text of one query value to the typed argument. `equals` is where the key ends: readers
// find the end of the value by themselves, so that a generated converter keeps one number a
// parameter. A key without `=` is null; a cast such as `(int)5` wins over the declared type.

import type { Wire } from "../../../argspec/wire.js";
import { ParameterError } from "../../base/errors.js";
import { clip } from "../contract/clip.js";
import {
  decodeBytes,
  decodeText,
  hasValue,
  keyEnd,
  pairEnd,
  readKey,
} from "../contract/query-text.js";
import { assertShape, type ShapeCheck } from "../contract/shape-check.js";

const ZERO = 48;
const NINE = 57;
const MINUS = 45;
const DOT = 46;
const PARENTHESIS = 40;
/** Numbers of up to 15 digits, and powers of ten up to 10^15, are exact in a double. */
const EXACT_DIGITS = 15;
const POWERS_OF_TEN = Array.from({ length: EXACT_DIGITS + 1 }, (_, power) => 10 ** power);
const INTEGER = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const CAST = /^\((?:(int|q)|float|d)\)/;

export function readInt(query: string, name: string, equals: number): number | null {
  if (!hasValue(query, equals)) {
    return null;
  }
  const end = pairEnd(query, equals);
  const negative = query.charCodeAt(equals + 1) === MINUS;
  const first = equals + (negative ? 2 : 1);
  if (first < end && end - first <= EXACT_DIGITS) {
    let value = 0;
    let at = first;
    for (; at < end; at++) {
      const char = query.charCodeAt(at);
      if (char < ZERO || char > NINE) {
        break;
      }
      value = value * 10 + (char - ZERO);
    }
    if (at === end) {
      return negative ? 0 - value : value;
    }
  }
  const text = decodeText(query, equals + 1, end);
  return castOf(text, name) ?? parseInteger(text, text, name);
}

export function readFloat(query: string, name: string, equals: number): number | null {
  if (!hasValue(query, equals)) {
    return null;
  }
  const end = pairEnd(query, equals);
  const negative = query.charCodeAt(equals + 1) === MINUS;
  const first = equals + (negative ? 2 : 1);
  if (end - first <= EXACT_DIGITS) {
    let digits = 0;
    let dot = -1;
    let at = first;
    for (; at < end; at++) {
      const char = query.charCodeAt(at);
      if (char >= ZERO && char <= NINE) {
        digits = digits * 10 + (char - ZERO);
      } else if (char === DOT && dot < 0) {
        dot = at;
      } else {
        break;
      }
    }
    // Both operands are exact, so the quotient is the double nearest to the decimal text.
    if (at === end && end - first > (dot < 0 ? 0 : 1)) {
      const value = dot < 0 ? digits : digits / POWERS_OF_TEN[end - dot - 1]!;
      return negative ? -value : value;
    }
  }
  const text = decodeText(query, equals + 1, end);
  return castOf(text, name) ?? parseDecimal(text, text, name);
}

/** A cast begins with a bare parenthesis: escaped, any text can be sent to those who want text. */
export function readStr(query: string, name: string, equals: number): string | number | null {
  if (!hasValue(query, equals)) {
    return null;
  }
  const text = decodeText(query, equals + 1, pairEnd(query, equals));
  const mayBeCast = query.charCodeAt(equals + 1) === PARENTHESIS;
  return (mayBeCast ? castOf(text, name) : null) ?? text;
}

/** The percent-decoded bytes; they need not be UTF-8. Casts as in `readStr`. */
export function readBytes(query: string, name: string, equals: number): Uint8Array | number | null {
  if (!hasValue(query, equals)) {
    return null;
  }
  const bytes = decodeBytes(query, equals + 1, pairEnd(query, equals));
  const mayBeCast = query.charCodeAt(equals + 1) === PARENTHESIS;
  return (mayBeCast ? castOf(Buffer.from(bytes).toString("latin1"), name) : null) ?? bytes;
}

/** @param check what the value must pass; a key without a value is not checked */
export function readJson(query: string, name: string, equals: number, check?: ShapeCheck): unknown {
  if (!hasValue(query, equals)) {
    return null;
  }
  const text = decodeText(query, equals + 1, pairEnd(query, equals));
  const value = castOf(text, name) ?? parseJson(text, `${name}=${clip(text)}`);
  if (check !== undefined) {
    assertShape(value, name, check, text);
  }
  return value;
}

/** Validates a value that nobody takes: its escapes and its cast must be right all the same. */
export function skipValue(query: string, key: string, equals: number): void {
  readStr(query, key, equals);
}

/** Validates a whole query for a function without parameters of its own. */
export function skipQuery(query: string): void {
  for (let at = 0; at < query.length; ) {
    const equals = keyEnd(query, at);
    skipValue(query, readKey(query, at, equals), equals);
    at = pairEnd(query, equals) + 1;
  }
}

/** All parameters of a query, converted where a wire type is known (`request.params`). */
export function parseParams(
  query: string,
  wires: Readonly<Record<string, Wire>>,
): Record<string, unknown> {
  const params: Record<string, unknown> = Object.create(null);
  // Positions first: of two pairs with one key only the last is converted.
  for (let at = 0; at < query.length; ) {
    const equals = keyEnd(query, at);
    const end = pairEnd(query, equals);
    if (end > at) {
      params[readKey(query, at, equals)] = equals;
    }
    at = end + 1;
  }
  for (const name of Object.keys(params)) {
    const wire = Object.hasOwn(wires, name) ? wires[name]! : "str";
    params[name] = readValue(query, name, params[name] as number, wire);
  }
  return params;
}

/** The reader of a wire type that is known only at run time. */
export function readValue(query: string, name: string, equals: number, wire: Wire): unknown {
  switch (wire) {
    case "int":
      return readInt(query, name, equals);
    case "float":
      return readFloat(query, name, equals);
    case "str":
      return readStr(query, name, equals);
    case "bytes":
      return readBytes(query, name, equals);
    case "json":
      return readJson(query, name, equals);
  }
}

/** @throws ParameterError naming the parameter, always */
export function missing(name: string): never {
  throw new ParameterError("TypeError", `missing required argument: '${name}'`);
}

/**
 * Parses JSON without letting `__proto__` keys through: they would become prototypes as soon as
 * somebody copies the object key by key.
 * @param label what the error message names
 */
export function parseJson(text: string, label: string): unknown {
  try {
    const mayHideProto = text.includes("__proto__") || text.includes("\\u");
    return mayHideProto ? JSON.parse(text, withoutProto) : JSON.parse(text);
  } catch {
    throw new ParameterError("ValueError", `${label} (invalid JSON)`);
  }
}

function withoutProto(key: string, value: unknown): unknown {
  return key === "__proto__" ? undefined : value;
}

/** Value of an explicit cast (interface, "Plugin execution" rule 5); null when there is none. */
function castOf(text: string, name: string): number | null {
  const cast = text.startsWith("(") ? CAST.exec(text) : null;
  if (cast === null) {
    return null;
  }
  const rest = text.slice(cast[0].length);
  return cast[1] === undefined ? parseDecimal(rest, text, name) : parseInteger(rest, text, name);
}

function parseInteger(digits: string, text: string, name: string): number {
  if (!INTEGER.test(digits)) {
    throw new ParameterError("TypeError", `${name}=${clip(text)} (an integer is required)`);
  }
  const value = Number(digits);
  if (!Number.isSafeInteger(value)) {
    throw new ParameterError(
      "TypeError",
      `${name}=${clip(text)} (an integer is required, at most ${Number.MAX_SAFE_INTEGER} in size)`,
    );
  }
  // Integers know no negative zero.
  return value + 0;
}

function parseDecimal(digits: string, text: string, name: string): number {
  const value = DECIMAL.test(digits) ? Number(digits) : Number.NaN;
  if (!Number.isFinite(value)) {
    throw new ParameterError("TypeError", `${name}=${clip(text)} (a number is required)`);
  }
  return value;
}
