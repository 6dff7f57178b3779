// Options of queries by name. They come from plugin code and from clients' JSON, so an unknown name
// is an error: no option may be silently ignored.

import { checkOptions } from "../../model/check-argument.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { ExecuteOptions } from "./query-options.js";

const EXPRESSIONS = ["pre", "filter", "post", "memory"];
const PAGE = ["hits", "offset"];
const BACKGROUND = ["write", "onProgress", "signal"] as const;
const LIMIT = ["timeout", "limexec"];
const RESULT = ["result", "fields", "counts", "timing"];
const SUMMARY = ["facets", "groupBy", "cursor", "incomplete", "highlight"];
const ENTRIES = [...RESULT, "explain", "select", "sortby", "rank", ...SUMMARY];
const NEIGHBORHOOD = [
  ...ENTRIES,
  ...EXPRESSIONS,
  ...["arc", "neighbor", "collect", "vector", "aggregate", "nest", "nestedHits"],
  ...["repeat", "through"],
];
const GLOBAL = [...ENTRIES, "condition", "vector", "memory", "approximate"];
const TEXT = ["in", "keys", "match", "fuzzy", "prefix", "language"];
const SEARCH = [...TEXT, "fuse", "rerank", "statistics"];
const ADJACENCY = ["arc", "neighbor", "repeat", "through", ...EXPRESSIONS];
const EXPLAINED = [...LIMIT, "explain"];
const RANKS = ["arc", "weighted", "damping", "rounds", "from", "hits"];
const PATH = ["arc", "weighted", "maxDepth", "through", ...EXPLAINED];

/** Option names by call. */
const NAMES = {
  neighborhood: new Set([...NEIGHBORHOOD, ...PAGE, ...LIMIT]),
  neighborhoodQuery: new Set(NEIGHBORHOOD),
  global: new Set([...GLOBAL, ...PAGE, ...LIMIT]),
  globalQuery: new Set(GLOBAL),
  search: new Set([...GLOBAL, ...SEARCH, ...PAGE, ...LIMIT]),
  adjacent: new Set([...ADJACENCY, ...EXPLAINED]),
  adjacencyQuery: new Set(ADJACENCY),
  aggregate: new Set([...ADJACENCY, ...RESULT, "collect", ...EXPLAINED]),
  aggregatorQuery: new Set([...ADJACENCY, ...RESULT, "collect", "explain"]),
  list: new Set(["neighbor", "sortby", "rank", ...EXPRESSIONS, "hits", ...EXPLAINED]),
  arcList: new Set(["hits", ...EXPLAINED]),
  degree: new Set(["arc", "filter", ...EXPLAINED]),
  shortestPath: new Set(PATH),
  shortestPaths: new Set([...PATH, "k", "hits", "incomplete"]),
  paths: new Set([...["arc", "neighbor", "repeat", "through"], "hits", "incomplete", ...EXPLAINED]),
  components: new Set(["arc", "hits", ...EXPLAINED]),
  pageRank: new Set([...RANKS, ...EXPLAINED]),
  componentsAsync: new Set(["arc", "hits", ...EXPLAINED, ...BACKGROUND]),
  pageRankAsync: new Set([...RANKS, ...EXPLAINED, ...BACKGROUND]),
  randomWalks: new Set(["arc", "weighted", "steps", "walks", "seed", ...EXPLAINED]),
  coOccurrence: new Set(["arc", "weighted", "hits", ...EXPLAINED]),
  scan: new Set(["condition", "result", "fields", "select"]),
  nearest: new Set(["hits", "condition", "approximate", "weights", ...EXPLAINED]),
  execute: new Set([...PAGE, ...LIMIT, "cache"]),
  executeWhole: new Set([...LIMIT, "cache"]),
} as const;

export type QueryCall = keyof typeof NAMES;

/** Returns the option names of queries, for completion. */
export function optionNames(): readonly string[] {
  return [...new Set([...NAMES.neighborhood, ...NAMES.global])];
}

const NO_OPTIONS = {};

/**
 * Returns the options of a call after checking their names; empty if none are given.
 * @throws TypeError unknown option, or not an object
 */
export function checkedArguments<O extends object>(
  call: QueryCall,
  options: O | null | undefined,
): O {
  // No call has required options.
  if (options === undefined || options === null) return NO_OPTIONS as O;
  checkOptions(options, NAMES[call]);
  return options;
}

/** The requested part of a result. */
export interface Page {
  /** Infinity for all. */
  readonly hits: number;
  readonly offset: number;
}

/**
 * Parses `hits` and `offset`; a negative offset counts as 0.
 * @throws QueryError not an integer
 */
export function parsePage(options: ExecuteOptions): Page {
  const hits = integerOption("hits", options.hits, -1);
  const offset = integerOption("offset", options.offset, 0);
  return { hits: hits < 0 ? Number.POSITIVE_INFINITY : hits, offset: Math.max(offset, 0) };
}

function integerOption(name: string, value: number | null | undefined, fallback: number): number {
  if (value === undefined || value === null) return fallback;
  if (!Number.isSafeInteger(value)) {
    throw invalidArgument(`invalid ${name} parameter`, value, "an integer", `.${name}`);
  }
  return value;
}

/**
 * Parses `incomplete`. Rejects it beside `cursor`: the next page would skip hits that an incomplete
 * page has not found.
 * @throws QueryError neither true nor false, or true beside `cursor`
 */
export function parseIncomplete(options: object): boolean {
  const { incomplete, cursor } = options as { incomplete?: unknown; cursor?: unknown };
  const isKept = parseFlag("incomplete", incomplete, false);
  if (!isKept || cursor === undefined || cursor === null || cursor === false) return isKept;
  throw invalidArgument("incomplete pages have no cursor", incomplete, "false", ".incomplete");
}

/**
 * Parses an option that is on or off; `fallback` if absent.
 * @throws QueryError neither true nor false
 */
export function parseFlag(name: string, value: unknown, fallback: boolean): boolean {
  if (value === undefined || value === null) return fallback;
  if (typeof value === "boolean") return value;
  throw invalidArgument(`invalid ${name} parameter`, value, "true, false", `.${name}`);
}
