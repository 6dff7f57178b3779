// Converts one query value to its typed argument. `equals` is the offset where the key ends:
// readers find the end of the value themselves, so that a generated converter stores one number per
// parameter. The declared type decides the meaning of a key without `=` and of a cast such as
// `(int)5`; docs/guides/writing-plugins.md has the table.

import type { Wire } from "../../../argspec/wire.js";
import { ParameterError } from "../../base/errors.js";
import {
  decodeBytes,
  decodeText,
  hasValue,
  keyEnd,
  pairEnd,
  readKey,
} from "../contract/query-text.js";
import { assertShape, type ShapeCheck } from "../contract/shape-check.js";
import { truncateForMessage } from "../contract/truncate-for-message.js";
import { parseJson } from "./parse-json.js";

const ZERO = 48;
const NINE = 57;
const MINUS = 45;
const DOT = 46;
/** Integers of up to 15 digits, and powers of ten up to 10^15, are exact in a double. */
const EXACT_DIGITS = 15;
const POWERS_OF_TEN = Array.from({ length: EXACT_DIGITS + 1 }, (_, power) => 10 ** power);
const INTEGER = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const CAST = /^\((?:(int|q)|float|d)\)/;

/** Reads the value of one parameter, whose key ends at `equals`. */
export type ParamReader = (query: string, equals: number) => unknown;

/** Accepts a cast before the number if its result is an integer. */
export function readInt(query: string, name: string, equals: number): number {
  if (!hasValue(query, equals)) {
    throw notA("an integer", name);
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
  const cast = castOf(text, name);
  if (cast === null) {
    return parseInteger(text, text, name);
  }
  if (!Number.isSafeInteger(cast)) {
    throw notA("an integer", name, text);
  }
  return cast + 0;
}

/** Accepts a cast before the number. */
export function readFloat(query: string, name: string, equals: number): number {
  if (!hasValue(query, equals)) {
    throw notA("a number", name);
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

/** Accepts any text, `(int)5` included; a key without a value is the empty text. */
export function readStr(query: string, _name: string, equals: number): string {
  return hasValue(query, equals) ? decodeText(query, equals + 1, pairEnd(query, equals)) : "";
}

/** Returns the percent-decoded bytes, which need not be UTF-8; empty for a key without a value. */
export function readBytes(query: string, _name: string, equals: number): Uint8Array {
  const start = hasValue(query, equals) ? equals + 1 : equals;
  return decodeBytes(query, start, pairEnd(query, equals));
}

/** @param check validates the value; without one any JSON value is accepted */
export function readJson(query: string, name: string, equals: number, check?: ShapeCheck): unknown {
  if (!hasValue(query, equals)) {
    return check === undefined ? null : bareValue(name, check);
  }
  const text = decodeText(query, equals + 1, pairEnd(query, equals));
  const value = castOf(text, name) ?? parseJson(text, `${name}=${truncateForMessage(text)}`);
  if (check !== undefined) {
    assertShape(value, name, check, text);
  }
  return value;
}

/**
 * Reads types that allow both text and other JSON values: a number after a cast, else the JSON
 * value, else the text itself: the first one that passes the check.
 * @param hasParts the type has arrays or objects among its members: their JSON is then not read as
 *   text
 */
export function readUnionValue(
  query: string,
  name: string,
  equals: number,
  check: ShapeCheck,
  hasParts = false,
): unknown {
  if (!hasValue(query, equals)) {
    return bareValue(name, check);
  }
  const text = decodeText(query, equals + 1, pairEnd(query, equals));
  const value = castOrNull(text) ?? jsonOrUndefined(text);
  const isMeant = hasParts && typeof value === "object" && value !== null;
  if (value !== undefined && !isMeant && check(value) === null) {
    return value;
  }
  const converted = isMeant ? value : text;
  assertShape(converted, name, check, text);
  return converted;
}

/**
 * Reads a value without a declared type: text, the number after a cast, null for a key without a
 * value.
 */
export function readUntyped(query: string, name: string, equals: number): string | number | null {
  if (!hasValue(query, equals)) {
    return null;
  }
  const text = decodeText(query, equals + 1, pairEnd(query, equals));
  return castOf(text, name) ?? text;
}

/** Returns the value of a bare key: null, true or the empty text, if the type allows it. */
function bareValue(name: string, check: ShapeCheck): unknown {
  const value = [null, true, ""].find((candidate) => check(candidate) === null);
  if (value === undefined) {
    throw new ParameterError("TypeError", `${name}${check(undefined)}`);
  }
  return value;
}

/** Validates an unused value, whose escapes and cast must be valid nevertheless. */
export function skipValue(query: string, key: string, equals: number): void {
  readUntyped(query, key, equals);
}

/** Validates a whole query for a function without parameters of its own. */
export function skipQuery(query: string): void {
  for (let at = 0; at < query.length; ) {
    const equals = keyEnd(query, at);
    skipValue(query, readKey(query, at, equals), equals);
    at = pairEnd(query, equals) + 1;
  }
}

/** Returns all parameters of a query, each read by its type (`request.params`). */
export function parseParams(
  query: string,
  readers: Readonly<Record<string, ParamReader>>,
): Record<string, unknown> {
  const params: Record<string, unknown> = Object.create(null);
  // Collects offsets first: of duplicate keys, only the last value is converted.
  for (let at = 0; at < query.length; ) {
    const equals = keyEnd(query, at);
    const end = pairEnd(query, equals);
    if (end > at) {
      params[readKey(query, at, equals)] = equals;
    }
    at = end + 1;
  }
  for (const name of Object.keys(params)) {
    const equals = params[name] as number;
    const isTyped = Object.hasOwn(readers, name);
    params[name] = isTyped ? readers[name]!(query, equals) : readUntyped(query, name, equals);
  }
  return params;
}

const READERS = {
  int: readInt,
  float: readFloat,
  str: readStr,
  bytes: readBytes,
  json: (query: string, name: string, equals: number) => readJson(query, name, equals),
} satisfies Record<Wire, unknown>;

/** Returns the reader of a type known only at run time; null: of a parameter without a type. */
export function createParamReader(name: string, wire: Wire | null): ParamReader {
  const read = wire === null ? readUntyped : READERS[wire];
  return (query, equals) => read(query, name, equals);
}

/** @throws ParameterError naming the parameter, always */
export function missing(name: string): never {
  throw new ParameterError("TypeError", `missing required argument: '${name}'`);
}

/** Returns undefined for invalid JSON. */
function jsonOrUndefined(text: string): unknown {
  try {
    return parseJson(text, "");
  } catch {
    return undefined;
  }
}

/**
 * Returns the value of an explicit cast (http-interface, "Plugin execution" rule 5); null if
 * there is none.
 */
function castOf(text: string, name: string): number | null {
  const cast = text.startsWith("(") ? CAST.exec(text) : null;
  if (cast === null) {
    return null;
  }
  const rest = text.slice(cast[0].length);
  return cast[1] === undefined ? parseDecimal(rest, text, name) : parseInteger(rest, text, name);
}

/** The same for text that may only look like a cast: null if it is invalid. */
function castOrNull(text: string): number | null {
  try {
    return castOf(text, "");
  } catch {
    return null;
  }
}

function parseInteger(digits: string, text: string, name: string): number {
  if (!INTEGER.test(digits)) {
    throw notA("an integer", name, text);
  }
  const value = Number(digits);
  if (!Number.isSafeInteger(value)) {
    throw notA("an integer", name, text, `, at most ${Number.MAX_SAFE_INTEGER} in size`);
  }
  // Integers have no negative zero.
  return value + 0;
}

function parseDecimal(digits: string, text: string, name: string): number {
  const value = DECIMAL.test(digits) ? Number(digits) : Number.NaN;
  if (!Number.isFinite(value)) {
    throw notA("a number", name, text);
  }
  return value;
}

/** @param text sent by the client; undefined for a key without a value */
function notA(expected: string, name: string, text?: string, limit = ""): ParameterError {
  const echo = text === undefined ? name : `${name}=${truncateForMessage(text)}`;
  return new ParameterError("TypeError", `${echo} (${expected} is required${limit})`);
}
