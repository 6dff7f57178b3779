// The constraints of a vertex condition that are tested without traversal: how each is written, and
// the order of the tests, cheapest first (queries, "Vertex conditions").

import { nowSeconds } from "../../memory/time.js";
import { isPlainRecord } from "../../model/check-argument.js";
import {
  D_ANY,
  D_BOTH,
  D_IN,
  D_OUT,
  T_MAX,
  T_MIN,
  V_EQ,
  V_GTE,
  V_LTE,
  V_NEQ,
} from "../../model/constants.js";
import { UnsupportedError } from "../../model/errors.js";
import {
  atArgumentPath,
  inMember,
  invalidArgument,
  invalidNameError,
  NAMES,
} from "../../model/invalid-argument.js";
import { isName } from "../../model/names.js";
import type { GraphStore } from "../../store/graph-store.js";
import { probeFor } from "../../vectors/probe.js";
import { parseVector } from "../../vectors/vector.js";
import type { DirectionNumber } from "../match/arc-test.js";
import { type IntegerRange, integerRange } from "../match/integer-range.js";
import { PropertyCondition } from "../match/property-condition.js";
import { TextCheck } from "../match/text-check.js";
import { parsePattern, parseValueCondition, type ValueTest } from "../match/value-condition.js";
import {
  ArcCountCheck,
  DegreeCheck,
  IdCheck,
  IdPrefixCheck,
  PropertyCheck,
  SimilarityCheck,
  TIMES,
  TimeCheck,
  type TimeRange,
  TypeCheck,
  VirtualCheck,
} from "../match/vertex-checks.js";
import type { VertexCheck } from "../match/vertex-test.js";
import { compileArcFilter } from "./arc-filter.js";
import type { ArcFilter, TextQueryOptions } from "./query-options.js";
import { TextQuery } from "./text-query.js";
import { isReference } from "./traverse-rule.js";

export interface Constraint {
  /** Position in the order of tests. */
  readonly order: number;
  readonly check: VertexCheck;
}

type ConstraintParser = (store: GraphStore, value: unknown) => Constraint | null;

const Order = {
  virtual: 1,
  type: 2,
  degree: 3,
  id: 4,
  arcCount: 5,
  time: 6,
  text: 7,
  similarity: 8,
  property: 9,
} as const;
const MAX_IDS = 100_000;
const UNTYPED = "__vertex__";
const TEXT_MEMBERS = ["in", "keys", "match", "fuzzy", "prefix", "language"];
const TEXT_FITS = ["query", ...TEXT_MEMBERS].join(", ");
const SIMILARITY_FITS = "{ vector, score, hamdist }";

/** By key; a parser returns null if any vertex passes. */
export const CONSTRAINTS: ReadonlyMap<string, ConstraintParser> = new Map<string, ConstraintParser>(
  [
    ["virtual", parseVirtual],
    ["type", parseType],
    ["degree", (store, value) => parseDegree(store, value, D_ANY)],
    ["indegree", (store, value) => parseDegree(store, value, D_IN)],
    ["outdegree", (store, value) => parseDegree(store, value, D_OUT)],
    ["id", parseIds],
    ["abstime", (store, value) => parseTimes(store, value, 0)],
    ["reltime", (store, value) => parseTimes(store, value, nowSeconds())],
    ["property", parseProperties],
    ["similarity", parseSimilarity],
    ["text", parseText],
  ],
);

function parseVirtual(store: GraphStore, value: unknown): Constraint | null {
  if (value === null) return null;
  if (typeof value !== "boolean" && typeof value !== "number") {
    const text = "Invalid vertex condition: 'virtual' must be true or false";
    throw invalidArgument(text, value, "true, false");
  }
  return { order: Order.virtual, check: new VirtualCheck(store, Boolean(value)) };
}

function parseType(store: GraphStore, value: unknown): Constraint | null {
  const isPair = Array.isArray(value);
  const [code, name]: unknown[] = isPair ? value : [V_EQ, value];
  if ((isPair && value.length !== 2) || (code !== V_EQ && code !== V_NEQ)) {
    const text = "Invalid vertex condition: 'type' must be a name or (V_EQ|V_NEQ, name)";
    throw invalidArgument(text, value, '"person", [V_NEQ, "person"]');
  }
  if (name === "*" && code === V_EQ) return null;
  const type = name ?? UNTYPED;
  const at = isPair ? "[1]" : "";
  if (typeof type !== "string") {
    throw invalidArgument("Invalid vertex condition: 'type'", type, "the name of a type", at);
  }
  if (!isName(type) && type !== UNTYPED) {
    throw invalidNameError(`invalid vertex type: '${type}'`, type, NAMES, at);
  }
  return { order: Order.type, check: new TypeCheck(store, type, code === V_EQ) };
}

function parseDegree(
  store: GraphStore,
  value: unknown,
  direction: DirectionNumber,
): Constraint | null {
  if (value === null) return null;
  // Value conditions begin with a number, arc filters here do not.
  const hasFilter = Array.isArray(value) && value.length === 2 && typeof value[0] !== "number";
  const [filter, condition]: unknown[] = hasFilter ? value : [null, value];
  const range = degreeRange(condition, hasFilter ? "[1]" : "");
  if (!hasFilter) return { order: Order.degree, check: new DegreeCheck(store, direction, range) };
  const arc = compileArcFilter(store, filter as ArcFilter, direction, "[0]");
  const isAgreed = direction === D_ANY || arc.direction === direction || arc.direction === D_ANY;
  if (!isAgreed || arc.direction === D_BOTH) {
    const text = "Arc direction mismatch for degree condition";
    throw invalidArgument(text, filter, "the direction of the condition, or none", "[0]");
  }
  const counted = arc.direction === D_ANY ? direction : arc.direction;
  if (arc.isUnfiltered) {
    return { order: Order.degree, check: new DegreeCheck(store, counted, range) };
  }
  return { order: Order.arcCount, check: new ArcCountCheck(store, arc, counted, range) };
}

function degreeRange(condition: unknown, at: string): IntegerRange {
  try {
    return integerRange(
      parseValueCondition(condition),
      [0, Number.MAX_SAFE_INTEGER],
      "Invalid degree condition: must be integer >= 0",
    );
  } catch (error) {
    throw atArgumentPath(error, at);
  }
}

function parseIds(store: GraphStore, value: unknown): Constraint | null {
  if (value === null) return null;
  if (Array.isArray(value)) return idList(store, value);
  if (isReference(value)) return idList(store, [value]);
  if (typeof value !== "string") {
    throw invalidArgument(
      "Invalid vertex condition: 'id'",
      value,
      'an id, "prefix*", a list of ids',
    );
  }
  const { text, isPrefix } = parsePattern(value);
  if (!isPrefix) return { order: Order.id, check: new IdCheck(store, [text]) };
  if (text === "") return null;
  return { order: Order.id, check: new IdPrefixCheck(store, text) };
}

/** Ids in a list are literal, stars included. */
function idList(store: GraphStore, items: readonly unknown[]): Constraint {
  if (items.length > MAX_IDS) {
    const text = `too many ids: ${items.length} > ${MAX_IDS}`;
    throw invalidArgument(text, items, `at most ${MAX_IDS} ids`);
  }
  // `Array.from` visits holes, which are invalid too.
  const ids = Array.from(items, (item, index) => {
    if (typeof item === "string") return item;
    if (isReference(item)) return item.id;
    const text = "Invalid vertex condition: ids must be strings";
    throw invalidArgument(text, item, "an id, or a vertex", `[${index}]`);
  });
  return { order: Order.id, check: new IdCheck(store, ids) };
}

function parseTimes(store: GraphStore, value: unknown, base: number): Constraint | null {
  if (value === null) return null;
  const { inner, isNegated, at } = unwrapNegation(value);
  const fits = [...TIMES.keys()].join(", ");
  if (!isPlainRecord(inner)) {
    throw invalidArgument("Invalid time condition", inner, `{ ${fits} }`, at);
  }
  const times: TimeRange[] = [];
  for (const [name, condition] of Object.entries(inner)) {
    const timeOf = TIMES.get(name);
    if (timeOf === undefined) {
      throw invalidArgument(
        `Invalid time condition: '${name}'`,
        condition,
        fits,
        at + inMember(name),
      );
    }
    if (condition === undefined) continue;
    try {
      times.push([timeOf, timeRange(condition, base)]);
    } catch (error) {
      throw atArgumentPath(error, `${at}.${name}`);
    }
  }
  return { order: Order.time, check: new TimeCheck(store, times, isNegated) };
}

/** @param base 0 for absolute seconds, else the time that offsets are added to */
function timeRange(condition: unknown, base: number): IntegerRange {
  const test = parseValueCondition(condition, V_GTE);
  const [smallest, greatest] = base === 0 ? [T_MIN, T_MAX] : [-T_MAX, T_MAX];
  const range = integerRange(test, [smallest, greatest], "Invalid time condition: out of range");
  return { ...range, low: range.low + base, high: range.high + base };
}

function parseProperties(store: GraphStore, value: unknown): Constraint | null {
  if (value === null) return null;
  const { inner, isNegated, at } = unwrapNegation(value);
  try {
    const condition = new PropertyCondition(store, inner);
    return { order: Order.property, check: new PropertyCheck(condition, isNegated) };
  } catch (error) {
    throw atArgumentPath(error, at);
  }
}

function parseSimilarity(store: GraphStore, value: unknown): Constraint | null {
  if (value === null) return null;
  const { inner, isNegated, at } = unwrapNegation(value);
  if (!isPlainRecord(inner)) {
    throw invalidArgument("Invalid similarity condition", inner, SIMILARITY_FITS, at);
  }
  const { vector, score, hamdist, ...others } = inner as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    const text = `Invalid similarity condition: '${unknown}'`;
    throw invalidArgument(text, others[unknown], SIMILARITY_FITS, at + inMember(unknown));
  }
  if (vector === undefined || vector === null) {
    const text = "Invalid similarity condition: vector is required";
    throw invalidArgument(text, vector, "a vector, or numbers", `${at}.vector`);
  }
  if (vector === "tail")
    throw new UnsupportedError("the tail's vector in conditions is not supported");
  const components = isReference(vector) ? (vector as { vector?: unknown }).vector : vector;
  const place = "similarity.vector";
  const probe = probeFor(store.vectors, parseVector(components, place), place);
  const tests = {
    score: parseBounded(score, V_GTE, [-1, 1], "score", at),
    hamdist: parseBounded(hamdist, V_LTE, [0, 64], "hamdist", at),
  };
  return { order: Order.similarity, check: new SimilarityCheck(probe, tests, isNegated) };
}

function parseText(store: GraphStore, value: unknown): Constraint | null {
  if (value === null) return null;
  const { inner, isNegated, at } = unwrapNegation(value);
  const condition = typeof inner === "string" ? { query: inner } : inner;
  if (!isPlainRecord(condition)) {
    throw invalidArgument("Invalid text condition", inner, `a text, or { ${TEXT_FITS} }`, at);
  }
  const { query, ...options } = condition as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(options).find((name) => !TEXT_MEMBERS.includes(name));
  if (unknown !== undefined) {
    const text = `Invalid text condition: '${unknown}'`;
    throw invalidArgument(text, options[unknown], TEXT_FITS, at + inMember(unknown));
  }
  try {
    const search = new TextQuery(store, query, options as TextQueryOptions);
    return { order: Order.text, check: new TextCheck(store, search, isNegated) };
  } catch (error) {
    throw atArgumentPath(error, at);
  }
}

function parseBounded(
  condition: unknown,
  plainCode: number,
  [smallest, greatest]: readonly [number, number],
  name: string,
  at: string,
): ValueTest {
  try {
    const test = parseValueCondition(condition, plainCode);
    const isText = test.text !== null || test.among !== null;
    if (
      isText ||
      test.low < smallest ||
      test.high > greatest ||
      Number.isNaN(test.low + test.high)
    ) {
      const text = `Invalid similarity condition: ${name} must be ${smallest} to ${greatest}`;
      throw invalidArgument(
        text,
        condition,
        `numbers of ${smallest} to ${greatest}, comparisons with them`,
      );
    }
    return test;
  } catch (error) {
    throw atArgumentPath(error, `${at}.${name}`);
  }
}

/** The operand of `[false, x]`, and its path. */
export interface Negation {
  readonly inner: unknown;
  readonly isNegated: boolean;
  readonly at: string;
}

/**
 * Unwraps `[false, x]` and `[true, x]`, nested to any depth.
 * @throws QueryError a malformed negation
 */
export function unwrapNegation(value: unknown): Negation {
  let inner = value;
  let isNegated = false;
  let at = "";
  while (Array.isArray(inner) && typeof inner[0] === "boolean") {
    if (inner.length !== 2) {
      const text = "Invalid negation: must be (bool, condition)";
      throw invalidArgument(text, inner, "[false, <condition>]", at);
    }
    if (!inner[0]) isNegated = !isNegated;
    inner = inner[1];
    at += "[1]";
  }
  return { inner, isNegated, at };
}
