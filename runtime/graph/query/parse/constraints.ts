// The constraints of a vertex condition that one vertex can be tested for by itself: how each is
// written, and in which order they are tested, cheap ones first (queries, "Vertex conditions").

import { nowSeconds } from "../../memory/time.js";
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
import { QueryError, SearchError, UnsupportedError } from "../../model/errors.js";
import type { GraphStore } from "../../store/graph-store.js";
import { Probe } from "../../vectors/probe.js";
import { partsOfLike } from "../../vectors/vector.js";
import type { DirectionNumber } from "../match/arc-test.js";
import { type IntegerRange, integerRange } from "../match/integer-range.js";
import { PropertyCondition } from "../match/property-condition.js";
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
import { compileArcFilter, isName } from "./arc-filter.js";
import type { ArcFilter } from "./query-options.js";
import { isReference } from "./traverse-rule.js";

export interface Constraint {
  /** Place in the order of tests. */
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
  similarity: 7,
  property: 8,
} as const;
const MAX_IDS = 100_000;
const UNTYPED = "__vertex__";

/** By key; null from a parser says that any vertex passes. */
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
  ],
);

function parseVirtual(store: GraphStore, value: unknown): Constraint | null {
  if (value === null) return null;
  if (typeof value !== "boolean" && typeof value !== "number") {
    throw new QueryError("Invalid vertex condition: 'virtual' must be true or false");
  }
  return { order: Order.virtual, check: new VirtualCheck(store, Boolean(value)) };
}

function parseType(store: GraphStore, value: unknown): Constraint | null {
  const isPair = Array.isArray(value);
  const [code, name]: unknown[] = isPair ? value : [V_EQ, value];
  if ((isPair && value.length !== 2) || (code !== V_EQ && code !== V_NEQ)) {
    throw new QueryError("Invalid vertex condition: 'type' must be a name or (V_EQ|V_NEQ, name)");
  }
  if (name === "*" && code === V_EQ) return null;
  const type = name ?? UNTYPED;
  if (typeof type !== "string") throw new QueryError("Invalid vertex condition: 'type'");
  if (!isName(type) && type !== UNTYPED) throw new SearchError(`invalid vertex type: '${type}'`);
  return { order: Order.type, check: new TypeCheck(store, type, code === V_EQ) };
}

function parseDegree(
  store: GraphStore,
  value: unknown,
  direction: DirectionNumber,
): Constraint | null {
  if (value === null) return null;
  // The codes of value conditions are numbers, arc filters in this place are not.
  const hasFilter = Array.isArray(value) && value.length === 2 && typeof value[0] !== "number";
  const [filter, condition]: unknown[] = hasFilter ? value : [null, value];
  const range = integerRange(
    parseValueCondition(condition),
    [0, Number.MAX_SAFE_INTEGER],
    "Invalid degree condition: must be integer >= 0",
  );
  if (!hasFilter) return { order: Order.degree, check: new DegreeCheck(store, direction, range) };
  const arc = compileArcFilter(store, filter as ArcFilter, direction);
  const isAgreed = direction === D_ANY || arc.direction === direction || arc.direction === D_ANY;
  if (!isAgreed || arc.direction === D_BOTH) {
    throw new QueryError("Arc direction mismatch for degree condition");
  }
  const counted = arc.direction === D_ANY ? direction : arc.direction;
  if (arc.isUnfiltered) {
    return { order: Order.degree, check: new DegreeCheck(store, counted, range) };
  }
  return { order: Order.arcCount, check: new ArcCountCheck(store, arc, counted, range) };
}

function parseIds(store: GraphStore, value: unknown): Constraint | null {
  if (value === null) return null;
  if (Array.isArray(value)) return idList(store, value);
  if (isReference(value)) return idList(store, [value]);
  if (typeof value !== "string") throw new QueryError("Invalid vertex condition: 'id'");
  const { text, isPrefix } = parsePattern(value);
  if (!isPrefix) return { order: Order.id, check: new IdCheck(store, [text]) };
  if (text === "") return null;
  return { order: Order.id, check: new IdPrefixCheck(store, text) };
}

/** Ids in a list are taken as they are: a star in them is a star. */
function idList(store: GraphStore, items: readonly unknown[]): Constraint {
  if (items.length > MAX_IDS) throw new QueryError(`too many ids: ${items.length} > ${MAX_IDS}`);
  const ids = items.map((item) => {
    if (typeof item === "string") return item;
    if (isReference(item)) return item.id;
    throw new QueryError("Invalid vertex condition: ids must be strings");
  });
  return { order: Order.id, check: new IdCheck(store, ids) };
}

function parseTimes(store: GraphStore, value: unknown, base: number): Constraint | null {
  if (value === null) return null;
  const { inner, isNegated } = unwrapNegation(value);
  if (typeof inner !== "object" || inner === null || Array.isArray(inner)) {
    throw new QueryError("Invalid time condition");
  }
  const times: TimeRange[] = [];
  for (const [name, condition] of Object.entries(inner)) {
    const timeOf = TIMES.get(name);
    if (timeOf === undefined) throw new QueryError(`Invalid time condition: '${name}'`);
    if (condition !== undefined) times.push([timeOf, timeRange(condition, base)]);
  }
  return { order: Order.time, check: new TimeCheck(store, times, isNegated) };
}

/** @param base 0 for absolute seconds, else what offsets are added to */
function timeRange(condition: unknown, base: number): IntegerRange {
  const test = parseValueCondition(condition, V_GTE);
  const [least, greatest] = base === 0 ? [T_MIN, T_MAX] : [-T_MAX, T_MAX];
  const range = integerRange(test, [least, greatest], "Invalid time condition: out of range");
  return { ...range, low: range.low + base, high: range.high + base };
}

function parseProperties(store: GraphStore, value: unknown): Constraint | null {
  if (value === null) return null;
  const { inner, isNegated } = unwrapNegation(value);
  const condition = new PropertyCondition(store, inner);
  return { order: Order.property, check: new PropertyCheck(condition, isNegated) };
}

function parseSimilarity(store: GraphStore, value: unknown): Constraint | null {
  if (value === null) return null;
  const { inner, isNegated } = unwrapNegation(value);
  if (typeof inner !== "object" || inner === null || Array.isArray(inner)) {
    throw new QueryError("Invalid similarity condition");
  }
  const { vector, score, hamdist, ...others } = inner as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new QueryError(`Invalid similarity condition: '${unknown}'`);
  if (vector === undefined || vector === null) {
    throw new QueryError("Invalid similarity condition: vector is required");
  }
  if (vector === "tail")
    throw new UnsupportedError("the tail's vector in conditions is not supported");
  const given = isReference(vector) ? (vector as { vector?: unknown }).vector : vector;
  const probe = new Probe(store.vectors, partsOfLike(given, "similarity.vector"));
  const tests = {
    score: bounded(parseValueCondition(score, V_GTE), -1, 1, "score"),
    hamdist: bounded(parseValueCondition(hamdist, V_LTE), 0, 64, "hamdist"),
  };
  return { order: Order.similarity, check: new SimilarityCheck(probe, tests, isNegated) };
}

function bounded(test: ValueTest, least: number, greatest: number, name: string): ValueTest {
  const isText = test.text !== null || test.among !== null;
  if (isText || test.low < least || test.high > greatest || Number.isNaN(test.low + test.high)) {
    throw new QueryError(`Invalid similarity condition: ${name} must be ${least} to ${greatest}`);
  }
  return test;
}

/**
 * What is inside of `[false, x]` and `[true, x]`, however deep.
 * @throws QueryError an array that begins like one and is none
 */
export function unwrapNegation(value: unknown): { inner: unknown; isNegated: boolean } {
  let inner = value;
  let isNegated = false;
  while (Array.isArray(inner) && typeof inner[0] === "boolean") {
    if (inner.length !== 2) throw new QueryError("Invalid negation: must be (bool, condition)");
    if (!inner[0]) isNegated = !isNegated;
    inner = inner[1];
  }
  return { inner, isNegated };
}
