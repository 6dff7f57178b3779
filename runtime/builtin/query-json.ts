// Parses query arguments: JSON with names of constants, alone or joined by `|`, quoted or not:
// `{"arc": ["knows", D_OUT], "result": R_DICT|R_COUNTS}`. No code is evaluated. A name is replaced
// by its value only where a constant is allowed, because an id, a property or a relationship may
// also be called "D_OUT" (a relationship: `["D_OUT"]`).

import { ParameterError } from "../base/errors.js";
import * as sortConstants from "../base/sort-constants.js";
import { optionNames } from "../graph/api/entry-points.js";
import * as graphConstants from "../graph/model/constants.js";
import { ValueError } from "../graph/model/errors.js";
import { exceededJsonLimit } from "../plugin/request/json-limits.js";
import { decodeFloats } from "./vector-json.js";

/** Limits of client queries. */
const MAX_QUERY_CHARACTERS = 131_000;
const MAX_DEPTH = 64;

type Json = null | boolean | number | string | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [key: string]: Json;
}
type Translate = (value: Json) => Json;

const constants = new Map<string, Json>(
  Object.entries({ ...graphConstants, ...sortConstants } as Record<string, Json>),
);
const CONSTANT_NAME = /^[A-Z]_[A-Z_]+$/;
/**
 * Matches strings, which are left unchanged, and constants outside of strings. Unterminated strings
 * match, too: retrying from each quote would take quadratic time.
 */
const STRING_OR_CONSTANTS = /"(?:[^"\\]|\\.)*"?|\b[A-Z]_[A-Z_]+(?:\s*\|\s*[A-Z]_[A-Z_]+)*/g;

/**
 * Parses the `query` argument or body of a query service.
 * @throws ValueError if it is not a JSON object
 */
export function queryFromText(text: string): Record<string, Json> {
  if (text.length > MAX_QUERY_CHARACTERS) throw badQuery(text, "too long");
  let query: Json;
  try {
    query = parse(text);
  } catch (error) {
    throw badQuery(text, (error as Error).message);
  }
  if (!isObject(query)) throw badQuery(text, "not an object");
  checkDepth(query, 0);
  return translated(query, QUERY);
}

/**
 * Parses one query argument of a URL: JSON if it looks like JSON, else a constant or a text.
 * @throws ValueError for invalid JSON
 */
export function queryArgument(name: string, text: string): Json {
  let value: Json = text;
  if (/^([[{"\-\d]|(true|false|null)$)/.test(text) && !TEXT_ARGUMENTS.has(name)) {
    if (text.length > MAX_QUERY_CHARACTERS) throw badQuery(text, "too long");
    try {
      value = parse(text);
    } catch (error) {
      const reason = (error as Error).message;
      // A vector is a separate parameter, not part of the query.
      if (name === "vector") throw new ParameterError("ValueError", `vector (${reason})`);
      if (!/^[-\d]/.test(text)) throw badQuery(text, reason);
    }
  }
  checkDepth(value, 0);
  return Object.hasOwn(QUERY, name) ? QUERY[name]!(value) : evaluate(value);
}

/** @throws SyntaxError for invalid JSON, and for JSON above the limits of clients */
function parse(text: string): Json {
  const exceeded = exceededJsonLimit(text);
  if (exceeded !== null) throw new SyntaxError(exceeded);
  const json = text.replace(STRING_OR_CONSTANTS, (match) =>
    match.startsWith('"') ? match : JSON.stringify(match),
  );
  return JSON.parse(json) as Json;
}

/**
 * Returns the value of a parameter that takes a constant, or several joined by `|`.
 * @param prefix of the valid names, such as `D_`
 * @throws ParameterError for an unknown name
 */
export function constantParameter(parameter: string, text: string, prefix: string): number {
  const value = text.split("|").every((name) => name.trim().startsWith(prefix)) && evaluate(text);
  if (typeof value === "number") return value;
  throw wrongConstant(`${parameter}=${text}`, [prefix]);
}

function wrongConstant(shown: string, prefixes: readonly string[]): ParameterError {
  const fits = prefixes.map((prefix) => `${prefix}…`).join(" or ");
  return new ParameterError("ValueError", `${shown} (the name of a constant ${fits} is required)`);
}

/** Arguments whose text is never JSON. */
const TEXT_ARGUMENTS = new Set([
  "id",
  "in",
  "text",
  "to",
  "groupBy",
  "select",
  "filter",
  "rank",
  "pre",
  "post",
]);

const unchanged: Translate = (value) => value;

/**
 * Converts a constant of a family, or several joined by `|`; other values remain unchanged.
 * @throws ParameterError for a constant of another family, whose number has another meaning here
 */
const constant =
  (...prefixes: readonly string[]): Translate =>
  (value) => {
    const number = evaluate(value);
    if (number === value) return value;
    const names = (value as string).split("|").map((name) => name.trim());
    const fits = prefixes.some((prefix) => names.every((name) => name.startsWith(prefix)));
    if (fits) return number;
    throw wrongConstant(value as string, prefixes);
  };

/** Returns the value of a constant, or of several joined by `|`; other values unchanged. */
function evaluate(value: Json): Json {
  if (typeof value !== "string") return value;
  const names = value.split("|").map((name) => name.trim());
  if (!names.every((name) => CONSTANT_NAME.test(name) && constants.has(name))) return value;
  const values = names.map((name) => constants.get(name)!);
  if (values.length === 1) return values[0]!;
  if (!values.every((part) => typeof part === "number")) return value;
  // BigInt, because constants use bits that `|` truncates.
  return Number(values.reduce((sum, part) => sum | BigInt(part), 0n));
}

const direction = constant("D_");
const modifier = constant("M_");
const comparison = constant("V_");
/** The second item of an arc filter is a direction, that of an arc a modifier. */
const ARC_ITEMS: readonly Translate[] = [constant("D_", "M_"), modifier, comparison];

/** Converts `condition` in `[false, condition]`, too. */
const negatable = (translate: Translate): Translate =>
  function translateNegatable(value): Json {
    if (!Array.isArray(value) || value.length !== 2 || typeof value[0] !== "boolean") {
      return translate(value);
    }
    return [value[0], translateNegatable(value[1] as Json)];
  };

const arc: Translate = negatable((value) => {
  if (typeof value === "string") return direction(value);
  if (!Array.isArray(value)) {
    return isObject(value)
      ? translated(value, { dir: direction, mod: modifier, cond: comparison })
      : value;
  }
  const [relationship, ...items] = value as Json[];
  return [relationship!, ...items.map((item, at) => (ARC_ITEMS[at] ?? unchanged)(item))];
});

const collected = constant("C_", "D_");
const collect: Translate = (value) => (typeof value === "string" ? collected(value) : arc(value));

/** Converts the base64 text of float32s to numbers. */
const vector: Translate = (value) =>
  typeof value === "string" && value !== "tail" && value !== ""
    ? decodeFloats("vector", value)
    : value;

const valueCondition: Translate = (value) =>
  Array.isArray(value) ? [comparison(value[0] as Json), ...value.slice(1)] : value;

const degree: Translate = (value) => {
  if (!Array.isArray(value) || value.length !== 2) return value;
  const [first, second] = value as [Json, Json];
  if (String(first).startsWith("V_")) return [comparison(first), second];
  return [arc(first), valueCondition(second)];
};

const valuesByKey: Translate = negatable((value) =>
  isObject(value) ? mapped(value, valueCondition) : value,
);

/** Converts ids or an arc, which has a direction as its second item. */
const rule: Translate = (value) => {
  if (isObject(value)) return translated(value, REPEATED);
  return Array.isArray(value) ? arc(value) : value;
};

const condition: Translate = negatable((value) =>
  isObject(value) ? translated(value, CONDITION) : value,
);

const RULE: Readonly<Record<string, Translate>> = {
  arc,
  neighbor: (value) => condition(value),
  collect,
};

const REPEATED: Readonly<Record<string, Translate>> = {
  ...RULE,
  through: (value) => condition(value),
};

const CONDITION: Readonly<Record<string, Translate>> = {
  ...RULE,
  type: valueCondition,
  degree,
  indegree: degree,
  outdegree: degree,
  abstime: valuesByKey,
  reltime: valuesByKey,
  property: valuesByKey,
  adjacent: rule,
  traverse: rule,
  has_arc: arc,
  has_neighbor: (value) => condition(value),
  not: (value) => condition(value),
  and: (value) => (Array.isArray(value) ? value.map(condition) : value),
  or: (value) => (Array.isArray(value) ? value.map(condition) : value),
  similarity: negatable((value) =>
    isObject(value)
      ? translated(value, { vector, score: valueCondition, hamdist: valueCondition })
      : value,
  ),
};

/** Converts the arc filter of a facet. */
const facet: Translate = (value) => (isObject(value) ? translated(value, { arc }) : value);

const QUERY: Readonly<Record<string, Translate>> = {
  ...REPEATED,
  aggregate: (value) => (isObject(value) ? translated(value, { arc }) : value),
  condition: (value) => condition(value),
  facets: (value) => (isObject(value) ? mapped(value, facet) : value),
  groupBy: unchanged,
  fields: constant("F_"),
  result: constant("R_"),
  sortby: constant("S_"),
  vector,
  vectors: unchanged,
  weights: unchanged,
  id: unchanged,
  in: unchanged,
  text: unchanged,
  to: unchanged,
  select: unchanged,
  filter: unchanged,
  rank: unchanged,
  pre: unchanged,
  post: unchanged,
};

/** Members of a condition that are not converted. */
const PLAIN_IN_CONDITION = ["assert", "filter", "id", "post", "virtual"];

/** Returns every name that a query may contain, for completion in tools. */
export function queryNames() {
  return {
    options: optionNames(),
    conditions: [...Object.keys(CONDITION), ...PLAIN_IN_CONDITION],
    constants: [...constants.keys()].filter((name) => CONSTANT_NAME.test(name)),
  };
}

/** Returns a copy with all members converted. */
function mapped(object: JsonObject, translate: Translate): Record<string, Json> {
  return Object.fromEntries(Object.entries(object).map(([key, item]) => [key, translate(item)]));
}

/** Returns a copy in which members with a converter are converted. */
function translated(
  object: JsonObject,
  translations: Readonly<Record<string, Translate>>,
): Record<string, Json> {
  const entries = Object.entries(object).map(([key, value]): [string, Json] => {
    const translate = Object.hasOwn(translations, key) ? translations[key]! : unchanged;
    return [key, translate(value)];
  });
  return Object.fromEntries(entries);
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function checkDepth(value: Json, depth: number): void {
  if (typeof value !== "object" || value === null) return;
  if (depth === MAX_DEPTH) throw badQuery("", "nested too deeply");
  for (const item of Object.values(value)) checkDepth(item as Json, depth + 1);
}

function badQuery(text: string, reason: string): ValueError {
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return new ValueError(`Bad query: ${shown} (original exception=${reason})`);
}
